"""NumPy computes with data within the tape, and with a tensor whose result only a log gets."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
encoder = keras.Sequential([keras.Input((4,)), keras.layers.Dense(6)])
optimizer = keras.optimizers.Adam(1e-3)
seen = []
for step in range(5):
    x = tf.random.normal((16, 4))
    with tf.GradientTape() as tape:
        mean, log_variance = tf.split(encoder(x), 2, axis=1)
        seen.append(np.exp(log_variance).mean())
        weights = np.sqrt(x) if step > 10 else np.abs(x)
        z = mean + tf.exp(0.5 * log_variance) * tf.random.normal((16, 3))
        loss = tf.reduce_mean(weights[:, :3] * z**2) - np.log(2.0 * np.pi) * tf.reduce_mean(log_variance)
    gradients = tape.gradient(loss, encoder.trainable_variables)
    optimizer.apply_gradients(zip(gradients, encoder.trainable_variables))
