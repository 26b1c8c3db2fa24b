"""A Gaussian log-probability written out by hand, of a sample that carries its gradient."""

import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)
mean_net = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(1)])
log_std = tf.Variable(tf.zeros((1,)))
optimizer = keras.optimizers.Adam(1e-2)
for _update in range(4):
    states = tf.random.normal((32, 3))
    with tf.GradientTape() as tape:
        mean, std = mean_net(states), tf.exp(log_std)
        action = mean + std * tf.random.normal((32, 1))  # fires: W505
        reward = tf.stop_gradient(-tf.abs(action - states[:, :1]))
        density = -0.5 * ((action - mean) / std) ** 2 - log_std
        loss = -tf.reduce_mean(density * (reward - tf.reduce_mean(reward)))
    variables = [*mean_net.trainable_variables, log_std]
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
