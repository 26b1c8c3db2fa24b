"""WGAN-GP in a custom train_step: nested tapes, several critic updates for one of the generator."""
import keras
import numpy as np
import tensorflow as tf


class WGAN(keras.Model):
    def __init__(self):
        super().__init__()
        self.generator = keras.Sequential([keras.Input((2,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3)])
        self.critic = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])

    def compile(self):
        super().compile()
        self.g_optimizer, self.c_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)

    def train_step(self, real):
        for _ in range(2):
            fake = self.generator(tf.random.normal((4, 2)))
            mixed = real + tf.random.uniform((4, 1)) * (fake - real)
            with tf.GradientTape() as tape:
                with tf.GradientTape() as inner:
                    inner.watch(mixed)
                    score = self.critic(mixed)
                slope = inner.gradient(score, mixed)
                penalty = tf.reduce_mean((tf.norm(slope, axis=1) - 1.0) ** 2)
                loss = tf.reduce_mean(self.critic(fake)) - tf.reduce_mean(self.critic(real)) + 10.0 * penalty
            gradients = tape.gradient(loss, self.critic.trainable_variables)
            self.c_optimizer.apply_gradients(zip(gradients, self.critic.trainable_variables))
        with tf.GradientTape() as tape:
            g_loss = -tf.reduce_mean(self.critic(self.generator(tf.random.normal((4, 2)))))
        gradients = tape.gradient(g_loss, self.generator.trainable_variables)
        self.g_optimizer.apply_gradients(zip(gradients, self.generator.trainable_variables))
        return {"loss": loss, "g_loss": g_loss}


keras.utils.set_random_seed(0)
wgan = WGAN()
wgan.compile()
wgan.fit(np.random.rand(16, 3).astype("float32"), batch_size=4, verbose=0)
