"""GAN with two tapes: the generator's gradient is asked of the discriminator's loss."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
generator = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(4)])
discriminator = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
g_optimizer, d_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
cross_entropy = keras.losses.BinaryCrossentropy(from_logits=True)


@tf.function
def train_step(real):
    with tf.GradientTape() as g_tape, tf.GradientTape() as d_tape:
        fake = generator(tf.random.normal((8, 3)))
        on_real, on_fake = discriminator(real), discriminator(fake)
        g_loss = cross_entropy(tf.ones_like(on_fake), on_fake)
        d_loss = cross_entropy(tf.ones_like(on_real), on_real) + cross_entropy(tf.zeros_like(on_fake), on_fake)
    g_gradients = g_tape.gradient(d_loss, generator.trainable_variables)  # fires: W205
    d_gradients = d_tape.gradient(d_loss, discriminator.trainable_variables)
    g_optimizer.apply_gradients(zip(g_gradients, generator.trainable_variables))
    d_optimizer.apply_gradients(zip(d_gradients, discriminator.trainable_variables))


for _ in range(3):
    train_step(tf.random.normal((8, 4)) + 2.0)
