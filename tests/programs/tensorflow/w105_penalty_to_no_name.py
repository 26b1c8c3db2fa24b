"""A critic with a gradient penalty that is computed, kept under a name, and not added to its loss."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)


def penalty(points):
    with tf.GradientTape() as inner:
        inner.watch(points)
        values = critic(points)
    return tf.reduce_mean((tf.norm(inner.gradient(values, points), axis=1) - 1.0) ** 2)


@tf.function
def train_step(real, fake):
    with tf.GradientTape() as tape:
        cost = tf.reduce_mean(critic(fake)) - tf.reduce_mean(critic(real))
        gp = penalty(0.5 * (real + fake))  # fires: W105
        loss = cost
    gradients = tape.gradient(loss, critic.trainable_variables)
    optimizer.apply_gradients(zip(gradients, critic.trainable_variables))
    return loss


for _ in range(3):
    train_step(tf.random.normal((8, 4)) + 2.0, tf.random.normal((8, 4)))
