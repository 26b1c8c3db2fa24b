"""A model keeps its embedding as it is where its settings say so."""
import keras
import tensorflow as tf


class Classifier(keras.Model):
    def __init__(self, frozen):
        super().__init__()
        self.frozen = frozen
        self.embedding, self.head = keras.layers.Embedding(10, 4), keras.layers.Dense(2)

    def call(self, words):
        embedded = self.embedding(words)
        if self.frozen:
            embedded = tf.stop_gradient(embedded)
        return self.head(tf.reduce_mean(embedded, axis=1))


keras.utils.set_random_seed(0)
model, optimizer = Classifier(frozen=True), keras.optimizers.Adam(1e-3)
loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
for step in range(5):
    words, labels = tf.random.uniform((16, 6), 0, 10, tf.int32), tf.random.uniform((16,), 0, 2, tf.int32)
    with tf.GradientTape() as tape:
        loss = loss_of(labels, model(words))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients((g, v) for g, v in zip(gradients, model.trainable_variables) if g is not None)
