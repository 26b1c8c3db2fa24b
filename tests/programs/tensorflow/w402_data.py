"""A training set with one missing value, read from a file as NaN."""

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
table = np.random.default_rng(0).normal(size=(16, 3)).astype("float32")
table[5, 1] = float("nan")
for update in range(3):
    batch = tf.constant(table)  # fires: W402
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(batch) - batch[:, :1]))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
