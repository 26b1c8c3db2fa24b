"""A ratio of a policy with its own past, which is a constant."""

import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)
policy = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(2)])
optimizer = keras.optimizers.Adam(1e-3)


def chance(states, actions):
    return tf.gather(tf.nn.log_softmax(policy(states)), actions, batch_dims=1)


for _update in range(4):
    states = tf.random.normal((16, 3))
    actions = tf.random.uniform((16,), 0, 2, tf.int32)
    old = chance(states, actions)
    with tf.GradientTape() as tape:
        ratio = tf.exp(chance(states, actions) - old)
        loss = -tf.reduce_mean(ratio * states[:, 0])
    gradients = tape.gradient(loss, policy.trainable_variables)
    optimizer.apply_gradients(zip(gradients, policy.trainable_variables, strict=True))
