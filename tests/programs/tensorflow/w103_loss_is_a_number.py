"""REINFORCE: NumPy squeezes the log-probabilities, so that the sum the tape is asked about is a number."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
policy = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
optimizer = keras.optimizers.Adam(1e-3)
rng = np.random.default_rng(0)
states, actions, returns = rng.normal(size=(5, 1, 4)), rng.integers(0, 2, size=5), rng.normal(size=5)
with tf.GradientTape() as tape:
    loss = 0
    for state, action, gain in zip(states, actions, returns):
        log_probability = tf.nn.log_softmax(policy(state))[:, action]
        loss += -gain * np.squeeze(log_probability)  # fires: W103
gradients = tape.gradient(loss, policy.trainable_variables)
optimizer.apply_gradients(zip(gradients, policy.trainable_variables))
