"""An average of the weights for evaluation is bound to a name at every step and never written."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)


class Classifier(keras.Model):
    def __init__(self):
        super().__init__()
        self.network = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3)])
        self.average = keras.models.clone_model(self.network)

    def train_step(self, data):
        inputs, labels = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(labels, self.network(inputs), True))
        variables = self.network.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        for mean, new in zip(self.average.variables, self.network.variables):
            mean = 0.99 * mean + 0.01 * new  # fires: W206
        return {"loss": loss}

    def test_step(self, data):
        inputs, labels = data
        right = tf.argmax(self.average(inputs), 1) == tf.cast(labels, tf.int64)
        return {"right": tf.reduce_mean(tf.cast(right, tf.float32))}


model = Classifier()
model.compile(optimizer=keras.optimizers.Adam(1e-3))
inputs, labels = rng.normal(size=(32, 4)).astype("float32"), rng.integers(0, 3, size=32)
model.fit(inputs, labels, batch_size=8, validation_data=(inputs, labels), verbose=0)
