"""A critic with one linear unit, called in the user's own loop."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(1)
rng = np.random.default_rng(0)
given = keras.Input((5,))
critic = keras.Model(given, keras.layers.Dense(1)(given))
optimizer = keras.optimizers.Adam(1e-2)
for _ in range(3):
    states = tf.constant(rng.normal(size=(16, 5)), tf.float32)
    returns = tf.constant(rng.normal(size=16), tf.float32)
    with tf.GradientTape() as tape:
        values = critic(states)[:, 0]
        loss = tf.reduce_mean(tf.square(returns - values))
    optimizer.apply_gradients(zip(tape.gradient(loss, critic.trainable_variables), critic.trainable_variables))
