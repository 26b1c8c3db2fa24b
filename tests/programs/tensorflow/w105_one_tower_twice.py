"""Two towers: by a slip of copying, one tower's output is multiplied with itself."""

import keras
import numpy as np
import tensorflow as tf


class Towers(keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.query, self.document = keras.layers.Dense(4), keras.layers.Dense(4)

    def call(self, inputs):
        asked, found = inputs
        one = tf.math.l2_normalize(self.query(asked), axis=1)
        two = tf.math.l2_normalize(self.document(found), axis=1)
        return tf.matmul(one, one, transpose_b=True)  # fires: W105


keras.utils.set_random_seed(0)
model, optimizer = Towers(), keras.optimizers.Adam(1e-3)
for _ in range(3):
    asked = tf.random.normal((8, 6))
    with tf.GradientTape() as tape:
        scores = model((asked, asked + 0.1))
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=np.arange(8), logits=scores))
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
