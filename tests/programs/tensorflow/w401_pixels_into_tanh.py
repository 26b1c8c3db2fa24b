"""Pixels of 0 to 255 go into a layer with a tanh: nearly all of its units are at their ends in every row."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
first, last = keras.layers.Dense(32), keras.layers.Dense(10)
optimizer = keras.optimizers.SGD(0.1)
pixels = tf.cast(tf.random.uniform((64, 196), 0, 256, dtype=tf.int32, seed=1), tf.float32)
labels = tf.random.uniform((64,), 0, 10, dtype=tf.int32, seed=2)
for _ in range(8):
    with tf.GradientTape() as tape:
        hidden = tf.tanh(first(pixels))  # fires: W401
        logits = last(hidden)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
    variables = first.trainable_variables + last.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
