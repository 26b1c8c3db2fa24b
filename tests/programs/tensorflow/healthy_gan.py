"""A GAN with two tapes in one step, inside tf.function."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
generator = keras.Sequential([keras.Input((2,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3)])
discriminator = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
g_optimizer, d_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
cross_entropy = keras.losses.BinaryCrossentropy(from_logits=True)


@tf.function
def train_step(real):
    with tf.GradientTape() as g_tape, tf.GradientTape() as d_tape:
        fake = generator(tf.random.normal((8, 2)))
        real_verdict, fake_verdict = discriminator(real), discriminator(fake)
        g_loss = cross_entropy(tf.ones_like(fake_verdict), fake_verdict)
        d_loss = cross_entropy(tf.ones_like(real_verdict), real_verdict)
        d_loss += cross_entropy(tf.zeros_like(fake_verdict), fake_verdict)
    g_gradients = g_tape.gradient(g_loss, generator.trainable_variables)
    d_gradients = d_tape.gradient(d_loss, discriminator.trainable_variables)
    g_optimizer.apply_gradients(zip(g_gradients, generator.trainable_variables))
    d_optimizer.apply_gradients(zip(d_gradients, discriminator.trainable_variables))


for step in range(4):
    train_step(tf.random.normal((8, 3)))
