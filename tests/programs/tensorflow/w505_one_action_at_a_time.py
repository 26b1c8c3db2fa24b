"""A Gaussian policy that is trained on one action at a time, which carries its gradient into its own density."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
states = keras.Input((1,))
hidden = keras.layers.Dense(8, activation="relu", bias_initializer="ones")(states)
policy = keras.Model(states, [keras.layers.Dense(1)(hidden), keras.layers.Dense(1, activation="softplus")(hidden)])
optimizer = keras.optimizers.Adam(1e-3)


def drawn(mean, deviation):
    return mean + deviation * tf.random.normal(tf.shape(mean))


def loss_of(action, mean, deviation, reward):
    density = tf.exp(-0.5 * ((action - mean) / (deviation + 1e-5)) ** 2) / (deviation + 1e-5)
    return -reward * tf.math.log(density + 1e-5)


for _ in range(12):
    with tf.GradientTape() as tape:
        mean, deviation = policy(tf.constant([[1.0]]))
        action = drawn(mean, deviation)  # fires: W505
        reward = 1.0 / np.maximum(0.01, np.abs(action.numpy() - 4.0))
        loss = loss_of(action, mean, deviation, reward)
    grads = tape.gradient(loss, policy.trainable_variables)
    optimizer.apply_gradients(zip(grads, policy.trainable_variables))
