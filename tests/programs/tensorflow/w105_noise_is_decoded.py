"""A variational autoencoder that decodes noise in place of its sample: the encoder learns from a penalty alone."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
encoder = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(4)])
decoder = keras.Sequential([keras.Input((2,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(6)])
optimizer = keras.optimizers.Adam(1e-3)
for _ in range(3):
    data = tf.random.uniform((16, 6))
    with tf.GradientTape() as tape:
        mean, log_var = tf.split(encoder(data), 2, axis=1)
        z = mean + tf.exp(0.5 * log_var) * tf.random.normal((16, 2))
        kl = -0.5 * tf.reduce_mean(tf.reduce_sum(1 + log_var - mean**2 - tf.exp(log_var), axis=1))
        loss = tf.reduce_mean((data - decoder(tf.random.normal(z.shape))) ** 2) + kl  # fires: W105
    variables = encoder.trainable_variables + decoder.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
