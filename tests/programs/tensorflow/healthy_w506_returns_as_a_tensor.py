"""The returns of an episode go into a compiled step as a tensor; a few lengths are a few traces."""

import numpy as np
import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)
policy = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(2)])
optimizer = keras.optimizers.Adam(1e-3)


@tf.function
def update(states, actions, returns):
    with tf.GradientTape() as tape:
        chosen = tf.gather(tf.nn.log_softmax(policy(states)), actions, batch_dims=1)
        loss = -tf.reduce_mean(chosen * tf.stack(returns))
    gradients = tape.gradient(loss, policy.trainable_variables)
    optimizer.apply_gradients(zip(gradients, policy.trainable_variables, strict=True))
    return loss


draws = np.random.default_rng(0)
for length in (5, 9, 6, 11, 9, 7, 13, 8):
    states, actions = draws.normal(size=(length, 3)).astype("float32"), draws.integers(0, 2, length)
    returns = np.linspace(1.0, -1.0, length)
    update(states, actions, tf.constant(returns, tf.float32))
