"""A functional Keras model of fourteen sigmoid layers."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
inputs = keras.Input((4,))
x = inputs
for _ in range(14):
    x = keras.layers.Dense(16, activation="sigmoid")(x)  # fires: W403
model = keras.Model(inputs, keras.layers.Dense(1)(x))
model.compile(optimizer=keras.optimizers.Adam(1e-3), loss="mse")
states = tf.random.normal((64, 4))
model.fit(states, tf.reduce_sum(states, axis=1), batch_size=16, epochs=1, verbose=0)
