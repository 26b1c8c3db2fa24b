"""Deep networks that keep their gradient: residual, normalised, and a small sigmoid one."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
inputs = keras.Input((8,))
x = y = inputs
for _ in range(10):
    x = keras.layers.Add()([x, keras.layers.Dense(8, "tanh")(x)])
    y = keras.layers.Activation("sigmoid")(keras.layers.LayerNormalization()(keras.layers.Dense(8)(y)))
small = keras.layers.Dense(1)(keras.layers.Dense(8, "sigmoid")(keras.layers.Dense(8, "sigmoid")(inputs)))
for output in (keras.layers.Dense(1)(x), keras.layers.Dense(1)(y), small):
    model = keras.Model(inputs, output)
    model.compile(optimizer="adam", loss="mse")
    states = tf.random.normal((64, 8))
    model.fit(states, tf.reduce_sum(states, axis=1), batch_size=16, epochs=1, verbose=0)
