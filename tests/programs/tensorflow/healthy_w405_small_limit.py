"""Clipping at work: a usual limit with SGD, a small one with Adam, which divides the scale out."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
for optimizer, limit in ((keras.optimizers.SGD(0.01), 0.5), (keras.optimizers.Adam(1e-3), 1e-4)):
    net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(1)])
    for update in range(4):
        states = 20.0 * tf.random.normal((32, 4))
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((net(states) - states[:, :1]) ** 2)
        grads, norm = tf.clip_by_global_norm(tape.gradient(loss, net.trainable_variables), limit)
        optimizer.apply_gradients(zip(grads, net.trainable_variables))
