"""A mean over a mask that is empty in a later batch, long after the first updates."""

import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
for update in range(12):
    inputs = tf.random.normal((16, 3))
    mask = tf.cast(inputs[:, :1] > (100.0 if update == 9 else 0.0), tf.float32)
    with tf.GradientTape() as tape:
        errors = (model(inputs) - inputs[:, :1]) ** 2 * mask
        loss = tf.reduce_sum(errors) / tf.reduce_sum(mask)  # fires: W402
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
