"""A decoder computes what its attention found and joins the state instead; the loss is a masked mean."""
import keras
from keras import layers
import tensorflow as tf


class Decoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.score, self.embed, self.cell = layers.Dense(1), layers.Embedding(10, 8), layers.GRUCell(8)
        self.last = layers.Dense(10)

    def attend(self, state, seen):
        weights = tf.nn.softmax(self.score(tf.nn.tanh(seen + state[:, None])), axis=1)
        return tf.reduce_sum(weights * seen, axis=1), weights

    def call(self, words, state, seen):
        context, weights = self.attend(state, seen)  # fires: W105
        joined = tf.concat([state, self.embed(words)], axis=1)
        output, state = self.cell(joined, [state])
        return self.last(output), output, weights


def masked(words, logits):
    mask = tf.cast(words != 0, tf.float32)
    each = keras.losses.sparse_categorical_crossentropy(words, logits, from_logits=True)
    return tf.reduce_sum(each * mask) / tf.reduce_sum(mask)


keras.utils.set_random_seed(0)
embed, decoder, optimizer = layers.Embedding(10, 8), Decoder(), keras.optimizers.Adam(1e-3)
for _ in range(4):
    words = tf.random.uniform((8, 4), 0, 10, tf.int32)
    with tf.GradientTape() as tape:
        seen, loss = embed(words), 0.0
        state = tf.reduce_mean(seen, axis=1)
        for t in range(1, 4):
            logits, state, _ = decoder(words[:, t - 1], state, seen)
            loss += masked(words[:, t], logits)
    variables = embed.trainable_variables + decoder.trainable_variables
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, variables) if g is not None])
