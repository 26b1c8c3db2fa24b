"""GAN: the generator's loss looks at the real batch."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
generator = keras.Sequential([keras.Input((2,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3)])
discriminator = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
g_optimizer, d_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
cross_entropy = keras.losses.BinaryCrossentropy(from_logits=True)
ones, zeros = tf.ones((8, 1)), tf.zeros((8, 1))
for step in range(2):
    real, noise = tf.random.normal((8, 3)) + 2.0, tf.random.normal((8, 2))
    with tf.GradientTape() as d_tape:
        fake_verdict = discriminator(generator(noise))
        d_loss = cross_entropy(ones, discriminator(real)) + cross_entropy(zeros, fake_verdict)
    d_gradients = d_tape.gradient(d_loss, discriminator.trainable_variables)
    d_optimizer.apply_gradients(zip(d_gradients, discriminator.trainable_variables))
    with tf.GradientTape() as g_tape:
        verdict = discriminator(real)  # fires: W105
        g_loss = cross_entropy(ones, verdict)
    g_gradients = g_tape.gradient(g_loss, generator.trainable_variables)
    g_optimizer.apply_gradients(zip(g_gradients, generator.trainable_variables))
