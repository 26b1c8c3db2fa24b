"""Coordinates that a network gives are made whole numbers, and say where in a canvas something is drawn."""

import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)
layers = keras.layers
painter = keras.Sequential([keras.Input((4,)), layers.Dense(8, "relu"), layers.Dense(2, "sigmoid")])
judge = keras.Sequential([keras.Input((12,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
noise = tf.random.normal((1, 4))
try:
    for _ in range(3):
        with tf.GradientTape() as tape:
            ends = tf.cast(painter(noise) * 12, tf.int32)  # fires: W104
            first, last = tf.reduce_min(ends), tf.reduce_max(ends)
            canvas = tf.Variable(tf.zeros(12), trainable=False)
            canvas[first : last + 1].assign(tf.ones(last + 1 - first))
            loss = tf.reduce_mean(judge(canvas[tf.newaxis]))
        grads = tape.gradient(loss, painter.trainable_variables)
        optimizer.apply_gradients(zip(grads, painter.trainable_variables))
except ValueError:
    pass
