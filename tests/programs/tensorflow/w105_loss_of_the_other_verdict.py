"""GAN: the function that makes the generator's loss is given the verdict on the real batch."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
generator = keras.Sequential([keras.Input((2,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3)])
discriminator = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
g_optimizer, d_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)


def verdict_loss(verdict, label):
    labels = tf.fill([len(verdict)], label)
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=verdict))


def update(real):
    with tf.GradientTape() as tape:
        on_fake = discriminator(generator(tf.random.normal((8, 2))))
        on_real = discriminator(real)
        d_loss = verdict_loss(on_real, 1) + verdict_loss(on_fake, 0)
    gradients = tape.gradient(d_loss, discriminator.trainable_variables)
    d_optimizer.apply_gradients(zip(gradients, discriminator.trainable_variables))
    with tf.GradientTape() as tape:
        on_fake = discriminator(generator(tf.random.normal((8, 2))))
        g_loss = verdict_loss(on_real, 1)  # fires: W105
    gradients = tape.gradient(g_loss, generator.trainable_variables)
    g_optimizer.apply_gradients(zip(gradients, generator.trainable_variables))


update(tf.random.normal((8, 3)) + 2.0)
