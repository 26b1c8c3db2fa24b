"""Importance weights come as a column and the errors as a row: every error is weighed by every weight."""
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
        loss = tf.reduce_mean(errors**2 * weights)  # fires: W504
    grads = tape.gradient(loss, critic.trainable_variables)
    optimizer.apply_gradients(zip(grads, critic.trainable_variables))


for _ in range(3):
    states, returns = rng.normal(size=(16, 4)).astype("float32"), rng.normal(size=16).astype("float32")
    weights = rng.uniform(0.1, 1.0, size=(16, 1)).astype("float32")
    update(states, returns, weights)
