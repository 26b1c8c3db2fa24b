"""A layer computes its matrix from its weight in build(), and every call uses that first result."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


class Symmetric(keras.layers.Layer):
    def build(self, shape):
        self.half = self.add_weight(shape=(shape[-1], shape[-1]), initializer="random_normal", name="half")
        self.bias = self.add_weight(shape=(shape[-1],), initializer="zeros", name="bias")
        self.matrix = self.half + tf.transpose(self.half)  # fires: W101

    def call(self, x):
        return tf.matmul(x, self.matrix) + self.bias


keras.utils.set_random_seed(0)
layer = Symmetric()
layer.build((None, 4))
head = keras.layers.Dense(1)
head.build((None, 4))
optimizer = keras.optimizers.SGD(0.1)
variables = [*layer.trainable_variables, *head.trainable_variables]
for _ in range(4):
    x = tf.constant(np.random.randn(16, 4), tf.float32)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(head(layer(x)) - x[:, :1]))
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
