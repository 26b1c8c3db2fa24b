"""The critic is asked while playing, before the tape; its loss is computed from what it said then."""

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
policy = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(2)])
critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(1)])
policy_optimizer, critic_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
rng = np.random.default_rng(0)


def play(length):
    states, actions, values = [], [], []
    for state in rng.normal(size=(length, 1, 4)).astype("float32"):
        states.append(state)
        actions.append(int(tf.random.categorical(policy(state), 1)[0, 0]))
        values.append(critic(state)[0, 0])  # fires: W101
    return np.concatenate(states), np.array(actions), tf.stack(values)


for _ in range(3):
    states, actions, values = play(8)
    returns = rng.normal(size=8).astype("float32")
    with tf.GradientTape() as tape:
        chosen = tf.reduce_sum(tf.nn.log_softmax(policy(states)) * tf.one_hot(actions, 2), axis=1)
        policy_loss = -tf.reduce_mean(chosen * (returns - tf.stop_gradient(values)))
    gradients = tape.gradient(policy_loss, policy.trainable_variables)
    policy_optimizer.apply_gradients(zip(gradients, policy.trainable_variables))
    with tf.GradientTape() as tape:
        value_loss = tf.reduce_mean((returns - values) ** 2)
    gradients = tape.gradient(value_loss, critic.trainable_variables)
    critic_optimizer.apply_gradients(zip(gradients, critic.trainable_variables))
