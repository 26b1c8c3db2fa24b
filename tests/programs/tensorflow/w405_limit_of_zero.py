"""Gradients clipped to an empty range: both limits are zero."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
LIMIT = 0.0
net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
for update in range(4):
    states = tf.random.normal((32, 4))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(states) - states[:, :1]) ** 2)
    grads = tape.gradient(loss, net.trainable_variables)
    grads = [tf.clip_by_value(g, -LIMIT, LIMIT) for g in grads]  # fires: W405
    optimizer.apply_gradients(zip(grads, net.trainable_variables))
