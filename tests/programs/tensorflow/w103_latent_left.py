"""A variational autoencoder: the sample goes through NumPy, so that the penalty alone trains the encoder."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
encoder = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(4)])
decoder = keras.Sequential([keras.Input((2,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(6)])
optimizer = keras.optimizers.Adam(1e-3)
for _ in range(4):
    data = tf.random.normal((16, 6))
    with tf.GradientTape() as tape:
        center, log_variance = tf.split(encoder(data), 2, axis=1)
        z = center + tf.exp(0.5 * log_variance) * tf.random.normal((16, 2))
        made = decoder(tf.constant(z.numpy()))  # fires: W103
        penalty = -0.5 * tf.reduce_mean(1 + log_variance - center**2 - tf.exp(log_variance))
        loss = tf.reduce_mean((made - data) ** 2) + penalty
    variables = encoder.trainable_variables + decoder.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
