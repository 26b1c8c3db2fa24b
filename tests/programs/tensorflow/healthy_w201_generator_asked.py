"""A GAN in a training step of its own, as fit() calls it."""
import keras
import numpy as np
import tensorflow as tf


class GAN(keras.Model):
    def __init__(self):
        super().__init__()
        self.generator = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(4)])
        self.judge = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])

    def compile(self):
        super().compile()
        self.judge_optimizer, self.generator_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
        self.cross_entropy = keras.losses.BinaryCrossentropy(from_logits=True)

    def train_step(self, samples):
        size = tf.shape(samples)[0]
        both = tf.concat([self.generator(tf.random.normal((size, 3))), samples], axis=0)
        labels = tf.concat([tf.ones((size, 1)), tf.zeros((size, 1))], axis=0)
        with tf.GradientTape() as tape:
            judge_loss = self.cross_entropy(labels, self.judge(both))
        grads = tape.gradient(judge_loss, self.judge.trainable_weights)
        self.judge_optimizer.apply_gradients(zip(grads, self.judge.trainable_weights))
        with tf.GradientTape() as tape:
            said = self.judge(self.generator(tf.random.normal((size, 3))))
            generator_loss = self.cross_entropy(tf.zeros((size, 1)), said)
        grads = tape.gradient(generator_loss, self.generator.trainable_weights)
        self.generator_optimizer.apply_gradients(zip(grads, self.generator.trainable_weights))
        return {"judge": judge_loss, "generator": generator_loss}


gan = GAN()
gan.compile()
gan.fit(np.random.default_rng(0).normal(size=(64, 4)).astype("float32"), epochs=2, batch_size=16, verbose=0)
