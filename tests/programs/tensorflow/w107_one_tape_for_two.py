"""GAN: the second loss is computed beside the tape of the first, which was used up; nothing else is wrong."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
generator = keras.Sequential([keras.Input((2,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3)])
discriminator = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
g_optimizer, d_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
cross_entropy = keras.losses.BinaryCrossentropy(from_logits=True)
ones, zeros = tf.ones((8, 1)), tf.zeros((8, 1))
noise = tf.random.normal((8, 2))
with tf.GradientTape() as tape:
    fake = discriminator(generator(noise))
    d_loss = cross_entropy(ones, discriminator(tf.random.normal((8, 3)))) + cross_entropy(zeros, fake)
gradients = tape.gradient(d_loss, discriminator.trainable_variables)
d_optimizer.apply_gradients(zip(gradients, discriminator.trainable_variables))
g_loss = cross_entropy(ones, discriminator(generator(noise)))
gradients = tape.gradient(g_loss, generator.trainable_variables)  # fires: W107
g_optimizer.apply_gradients(zip(gradients, generator.trainable_variables))
