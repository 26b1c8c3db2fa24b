"""Advantages that are centred within a batch of one."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
policy = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(3)])
optimizer = keras.optimizers.Adam(1e-2)
for episode in range(4):
    state = tf.random.normal((1, 4))
    with tf.GradientTape() as tape:
        log_probs = tf.nn.log_softmax(policy(state))
        reward = tf.constant([1.5]) + 0.1 * episode
        advantage = reward - tf.reduce_mean(reward)  # fires: W401
        loss = -tf.reduce_mean(log_probs[:, 1] * advantage)
    grads = tape.gradient(loss, policy.trainable_variables)
    optimizer.apply_gradients(zip(grads, policy.trainable_variables))
