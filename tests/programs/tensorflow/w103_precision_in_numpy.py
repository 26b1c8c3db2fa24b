"""A Gaussian's log-density takes its precision from np.exp: the log-variance learns from the rest alone."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
encoder = keras.Sequential([keras.Input((4,)), keras.layers.Dense(6)])
optimizer = keras.optimizers.Adam(1e-3)
for step in range(5):
    x = tf.random.normal((16, 4))
    with tf.GradientTape() as tape:
        mean, log_variance = tf.split(encoder(x), 2, axis=1)
        z = mean + tf.exp(0.5 * log_variance) * tf.random.normal((16, 3))
        density = -0.5 * ((z - mean) ** 2.0 * np.exp(-log_variance) + log_variance)  # fires: W103
        loss = tf.reduce_mean(z**2) + tf.reduce_mean(tf.reduce_sum(density, axis=1))
    gradients = tape.gradient(loss, encoder.trainable_variables)
    optimizer.apply_gradients(zip(gradients, encoder.trainable_variables))
