"""A residual block with a feed-forward part that is added."""
import keras
import tensorflow as tf


class Block(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.attention, self.inner, self.outer = (keras.layers.Dense(n) for n in (6, 12, 6))
        self.first, self.second = keras.layers.LayerNormalization(), keras.layers.LayerNormalization()

    def call(self, inputs):
        mixed = self.first(inputs + self.attention(inputs))
        forward = self.outer(tf.nn.relu(self.inner(mixed)))
        forward = tf.nn.dropout(forward, 0.1)
        return self.second(mixed + forward)


keras.utils.set_random_seed(0)
block, head = Block(), keras.layers.Dense(1)
optimizer = keras.optimizers.Adam(1e-3)
for _ in range(4):
    words = tf.random.normal((8, 5, 6))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((head(block(words)) - tf.reduce_sum(words, axis=2, keepdims=True)) ** 2)
    variables = block.trainable_variables + head.trainable_variables
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip(gradients, variables))
