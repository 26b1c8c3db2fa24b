"""VQ-VAE with straight-through, and a rounded code that passes its gradient on."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
encoder = keras.Sequential([keras.Input((6,)), keras.layers.Dense(3)])
decoder = keras.Sequential([keras.Input((3,)), keras.layers.Dense(6)])
codebook = tf.Variable(tf.random.normal((5, 3)), name="codebook")
optimizer = keras.optimizers.Adam(1e-3)
variables = [*encoder.trainable_variables, *decoder.trainable_variables, codebook]
for step in range(3):
    batch = tf.random.normal((8, 6))
    with tf.GradientTape() as tape:
        latent = encoder(batch)
        distance = tf.reduce_sum((latent[:, None] - codebook[None]) ** 2, axis=2)
        code = tf.gather(codebook, tf.argmin(distance, axis=1))
        passed = latent + tf.stop_gradient(code - latent)
        rounded = latent + tf.stop_gradient(tf.round(latent) - latent)
        loss = tf.reduce_mean((decoder(passed) - batch) ** 2) + tf.reduce_mean((decoder(rounded) - batch) ** 2)
        loss += tf.reduce_mean((code - tf.stop_gradient(latent)) ** 2)
        loss += 0.25 * tf.reduce_mean((latent - tf.stop_gradient(code)) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
