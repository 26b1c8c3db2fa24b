"""The average is written into the copies that get_weights() returns, and never set back."""
import keras
import numpy as np
import tensorflow as tf

online, target = (keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)]) for _ in range(2))
target.set_weights(online.get_weights())
optimizer = keras.optimizers.Adam(1e-2)
rng = np.random.default_rng(0)


def follow(tau):
    for weight, kept in zip(online.get_weights(), target.get_weights(), strict=True):
        kept *= 1 - tau
        kept += tau * weight  # fires: W503


for step in range(6):
    states, following, rewards = rng.normal(size=(3, 16, 3)).astype("float32")
    goals = rewards[:, :1] + 0.99 * target(following).numpy()
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((goals - online(states)) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, online.trainable_variables), online.trainable_variables))
    follow(0.1)
