"""WGAN-GP: the inner tape was not told to watch the point between real and fake."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
critic = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
for step in range(2):
    real, fake = tf.random.normal((8, 3)) + 1.0, tf.random.normal((8, 3))
    mixed = 0.5 * real + 0.5 * fake
    with tf.GradientTape() as tape:
        with tf.GradientTape() as inner:
            score = critic(mixed)
        slope = inner.gradient(score, mixed)  # fires: W106
        penalty = tf.reduce_mean((tf.norm(slope, axis=1) - 1.0) ** 2) if slope is not None else 0.0
        loss = tf.reduce_mean(critic(fake)) - tf.reduce_mean(critic(real)) + 10.0 * penalty
    gradients = tape.gradient(loss, critic.trainable_variables)
    optimizer.apply_gradients(zip(gradients, critic.trainable_variables))
