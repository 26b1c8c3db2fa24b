"""A decoder with additive attention: what the query adds to every score cancels out, and its gradient is tiny."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


class Decoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.query, self.memory, self.score = keras.layers.Dense(8), keras.layers.Dense(8), keras.layers.Dense(1)
        self.cell, self.out = keras.layers.GRUCell(8), keras.layers.Dense(5)

    def call(self, state, values):
        chances = tf.nn.softmax(self.score(tf.tanh(self.query(state)[:, None] + self.memory(values))), axis=1)
        seen = tf.reduce_sum(chances * values, axis=1)
        state, _ = self.cell(seen, [state])
        return self.out(state), state


decoder, optimizer = Decoder(), keras.optimizers.Adam(1e-3)
for _ in range(4):
    values, labels = 0.01 * tf.random.normal((8, 5, 8)), tf.random.uniform((8, 4), 0, 5, tf.int32)
    state, loss = 0.001 * tf.random.normal((8, 8)), 0.0
    with tf.GradientTape() as tape:
        for t in range(4):
            logits, state = decoder(state, values)
            loss += tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels[:, t], logits))
    gradients = tape.gradient(loss, decoder.trainable_variables)
    optimizer.apply_gradients(zip(gradients, decoder.trainable_variables))
