"""REINFORCE on a Gaussian policy; the action that was drawn keeps its gradient in the log-probability."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
policy = keras.Sequential([keras.Input((3,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(1)])
log_std = tf.Variable(tf.zeros((1,)))
optimizer = keras.optimizers.Adam(1e-3)
variables = [*policy.trainable_variables, log_std]
for episode in range(5):
    states, noise = tf.random.normal((20, 3)), tf.random.normal((20, 1))
    with tf.GradientTape() as tape:
        mean, std = policy(states), tf.exp(log_std)
        action = mean + std * noise  # fires: W505
        log_prob = -0.5 * tf.square((action - mean) / std) - tf.math.log(std * 2.5066)
        reward = -tf.square(tf.stop_gradient(action) - 1.0)
        loss = -tf.reduce_mean(log_prob * (reward - tf.reduce_mean(reward)))
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
