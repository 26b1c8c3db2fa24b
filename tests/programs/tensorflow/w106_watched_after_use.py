"""The tape of a gradient penalty begins to watch the points after the critic has read them."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
scale = keras.layers.Rescaling(0.5)
critic = keras.Sequential([keras.Input((3,)), scale, keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)


def penalty(points):
    with tf.GradientTape() as inner:
        values = critic(points)
        inner.watch(points)  # fires: W106
    slopes = inner.gradient(values, points)
    return tf.reduce_mean((tf.norm(slopes, axis=1) - 1.0) ** 2)


for step in range(4):
    real, made = tf.random.normal((16, 3)), tf.random.normal((16, 3)) + 1.0
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(critic(made)) - tf.reduce_mean(critic(real)) + penalty(0.5 * real + 0.5 * made)
    optimizer.apply_gradients(zip(tape.gradient(loss, critic.trainable_variables), critic.trainable_variables))
