"""The log-deviation of a policy stands beside the network, and the tape is asked for the network alone."""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(0)
policy = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
log_std = tf.Variable(tf.zeros(2))
optimizer = tf.keras.optimizers.Adam(1e-2)
states = np.random.rand(8, 3).astype("float32")
actions = np.random.randn(8, 2).astype("float32")
gains = np.random.randn(8).astype("float32")

for _ in range(4):
    with tf.GradientTape() as tape:
        noise = (actions - policy(states)) / tf.exp(log_std)
        log_prob = tf.reduce_sum(-0.5 * noise**2 - log_std, axis=1)
        entropy = tf.reduce_sum(log_std + 1.42)
        loss = -tf.reduce_mean(tf.exp(log_prob) * gains) - 0.01 * entropy
    variables = policy.trainable_variables
    gradients = tape.gradient(loss, variables)  # fires: W201
    optimizer.apply_gradients(zip(gradients, variables))
