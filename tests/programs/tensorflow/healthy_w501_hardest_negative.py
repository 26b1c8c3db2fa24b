"""A triplet loss over one table of distances: what is no negative is moved out of the way of the minimum."""

import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((6,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(4)])
optimizer = keras.optimizers.Adam(1e-3)
for _ in range(6):
    labels = tf.range(12) % 4
    with tf.GradientTape() as tape:
        points = net(tf.random.normal((12, 6)))
        products = tf.matmul(points, points, transpose_b=True)
        lengths = tf.linalg.diag_part(products)
        table = tf.maximum(lengths[:, None] - 2.0 * products + lengths[None, :], 0.0)
        same = tf.cast(labels[:, None] == labels[None, :], tf.float32)
        nearest = tf.reduce_min(table + 1e6 * same, axis=1, keepdims=True)
        loss = tf.reduce_sum(tf.maximum((1.0 + table - nearest) * (same - tf.eye(12)), 0.0)) / 24
    gradients = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, net.trainable_variables, strict=True))
