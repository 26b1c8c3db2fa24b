"""Infinities that are meant: masked logits, a logarithm whose input is cleaned first, NaN in a metric."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(5)])
optimizer = keras.optimizers.Adam(1e-3)
allowed = tf.constant([True, False, True, True, False])
for update in range(5):
    states = tf.random.normal((16, 4))
    with tf.GradientTape() as tape:
        logits = tf.where(allowed, net(states), float("-inf"))
        probs = tf.nn.softmax(logits)
        safe = tf.where(states > 0, states, tf.ones_like(states))
        bonus = tf.reduce_mean(tf.where(states > 0, tf.math.log(safe), tf.zeros_like(states)))
        loss = tf.reduce_mean(probs[:, 0]) + 0.1 * bonus
    metric = float(tf.reduce_mean(probs / (probs - probs)))
    grads = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(grads, net.trainable_variables))
