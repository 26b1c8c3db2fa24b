"""The advantage is bent to be positive and is not stopped: the policy's loss moves the critic, too."""

import tensorflow as tf
from tensorflow import keras


def network(outputs):
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, activation="tanh"), keras.layers.Dense(outputs)])


keras.utils.set_random_seed(0)
actor, critic = network(3), network(1)
optimizer = keras.optimizers.Adam(1e-3)
variables = [*actor.trainable_variables, *critic.trainable_variables]
for _ in range(4):
    states, returns = tf.random.normal((16, 4)), tf.random.normal((16,))
    actions = tf.random.uniform((16,), 0, 3, tf.int32)
    with tf.GradientTape() as tape:
        values = critic(states)[:, 0]
        surprise = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=actions, logits=actor(states))
        loss = tf.reduce_mean(surprise * tf.nn.softplus(returns - values))  # fires: W505
        loss += tf.reduce_mean(tf.square(returns - values))
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
