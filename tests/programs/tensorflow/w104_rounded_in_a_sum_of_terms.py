"""A variational autoencoder by its bound: the reconstruction is rounded, and one of three terms that are summed."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
encoder = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(4)])
decoder = keras.Sequential([keras.Input((2,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(6)])
optimizer = keras.optimizers.Adam(1e-3)


def log_normal(sample, mean, log_var):
    return tf.reduce_sum(-0.5 * ((sample - mean) ** 2 * tf.exp(-log_var) + log_var), axis=1)


for _ in range(3):
    data = tf.cast(tf.random.uniform((16, 6)) > 0.5, tf.float32)
    with tf.GradientTape() as tape:
        mean, log_var = tf.split(encoder(data), 2, axis=1)
        z = mean + tf.exp(0.5 * log_var) * tf.random.normal((16, 2))
        off = tf.abs(tf.round(tf.sigmoid(decoder(z))) - data)  # fires: W104
        chance, prior, posterior = -tf.reduce_sum(off, axis=1), log_normal(z, 0.0, 0.0), log_normal(z, mean, log_var)
        loss = -tf.reduce_mean(chance + prior - posterior)
    variables = encoder.trainable_variables + decoder.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
