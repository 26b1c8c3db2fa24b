"""An autoencoder held to a prior: the latent is compared with noise, and decoded; noise alone is decoded for a look."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
encoder = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
decoder = keras.Sequential([keras.Input((2,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(6)])
optimizer = keras.optimizers.Adam(1e-3)
for _ in range(3):
    data = tf.random.uniform((16, 6))
    with tf.GradientTape() as tape:
        z, prior = encoder(data), tf.random.normal((16, 2))
        held = tf.reduce_mean((tf.reduce_mean(z, 0) - tf.reduce_mean(prior, 0)) ** 2)
        loss = tf.reduce_mean((data - decoder(z)) ** 2) + held
    variables = encoder.trainable_variables + decoder.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    print(decoder(prior).numpy().mean())
