"""Weights that are all one come as a column and the errors as a row; nothing is mixed up by that."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
rng = np.random.default_rng(0)


@tf.function
def update(states, returns, weights):
    with tf.GradientTape() as tape:
        errors = returns - tf.squeeze(critic(states), axis=1)
        loss = tf.reduce_mean(errors**2 * weights)
    grads = tape.gradient(loss, critic.trainable_variables)
    optimizer.apply_gradients(zip(grads, critic.trainable_variables))


for _ in range(3):
    states, returns = rng.normal(size=(16, 4)).astype("float32"), rng.normal(size=16).astype("float32")
    weights = np.ones((16, 1), "float32")
    update(states, returns, weights)
