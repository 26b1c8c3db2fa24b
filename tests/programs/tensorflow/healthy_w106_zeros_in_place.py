"""A gradient penalty on points that the inner tape watches, with zeros asked for in place of None."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
critic = keras.Sequential([keras.Input((2,)), keras.layers.Dense(16, activation="tanh"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)


def penalty(real, fake):
    share = tf.random.uniform((8, 1))
    mixed = share * real + (1 - share) * fake
    with tf.GradientTape() as inner:
        inner.watch(mixed)
        score = critic(mixed)
    slope = inner.gradient(score, mixed, unconnected_gradients="zero")
    return tf.reduce_mean((tf.norm(slope + 1e-6, axis=1) - 1.0) ** 2)


for _ in range(3):
    real, fake = tf.random.normal((8, 2)) + 1.0, tf.random.normal((8, 2))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(critic(fake)) - tf.reduce_mean(critic(real)) + 10.0 * penalty(real, fake)
    grads = tape.gradient(loss, critic.trainable_variables)
    optimizer.apply_gradients(zip(grads, critic.trainable_variables))
