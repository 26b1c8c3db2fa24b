"""An entropy bonus whose coefficient is zero is switched off on purpose."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
policy = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(2)])
optimizer = keras.optimizers.Adam(1e-3)


def surrogate(logits, actions, old, advantages):
    new = tf.gather(tf.nn.log_softmax(logits), actions, batch_dims=1)
    ratio = tf.exp(new - old)
    weights = advantages * 1.0
    return -tf.reduce_mean(tf.minimum(ratio * weights, tf.clip_by_value(ratio, 0.8, 1.2) * weights))


for _ in range(4):
    states, actions = tf.random.normal((16, 4)), tf.constant(np.random.randint(0, 2, 16))
    advantages = tf.constant(np.random.normal(size=16).astype("float32"))
    old = tf.gather(tf.nn.log_softmax(policy(states)), actions, batch_dims=1)
    with tf.GradientTape() as tape:
        logits = policy(states)
        entropy = -tf.reduce_mean(tf.reduce_sum(tf.nn.softmax(logits) * tf.nn.log_softmax(logits), axis=1))
        loss = surrogate(logits, actions, old, advantages) - 0.0 * entropy
    grads = tape.gradient(loss, policy.trainable_variables)
    optimizer.apply_gradients(zip(grads, policy.trainable_variables))
