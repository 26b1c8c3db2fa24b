"""The ratio of a clipped objective is computed with NumPy; only the entropy bonus trains the policy."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
policy = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(2)])
optimizer = keras.optimizers.Adam(1e-3)


def surrogate(logits, actions, old, advantages):
    probs = tf.nn.softmax(logits).numpy()  # fires: W103
    ratio = tf.gather(probs, actions, batch_dims=1) / old
    clipped = tf.clip_by_value(ratio, 0.8, 1.2)
    return -tf.reduce_mean(tf.minimum(ratio * advantages, clipped * advantages))


def entropy(logits):
    return -tf.reduce_mean(tf.reduce_sum(tf.nn.softmax(logits) * tf.nn.log_softmax(logits), axis=1))


for _ in range(3):
    states, actions = tf.random.normal((16, 4)), tf.constant(np.random.randint(0, 2, 16))
    advantages = tf.constant(np.random.normal(size=16).astype("float32"))
    old = tf.gather(tf.nn.softmax(policy(states)), actions, batch_dims=1)
    for _ in range(2):
        with tf.GradientTape() as tape:
            logits = policy(states)
            loss = surrogate(logits, actions, old, advantages) - 0.01 * entropy(logits)
        grads = tape.gradient(loss, policy.trainable_variables)
        optimizer.apply_gradients(zip(grads, policy.trainable_variables))
