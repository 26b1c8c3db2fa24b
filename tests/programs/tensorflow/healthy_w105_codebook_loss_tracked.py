"""A quantizer whose own losses are added to the loss, and go to a metric beside."""
import keras
import tensorflow as tf


class Quantizer(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.codes = self.add_weight(shape=(16, 4), initializer="random_normal", name="codes")

    def call(self, latents):
        distances = tf.reduce_sum((latents[:, None] - self.codes[None]) ** 2, -1)
        nearest = tf.gather(self.codes, tf.argmin(distances, 1))
        self.add_loss(tf.reduce_mean((nearest - tf.stop_gradient(latents)) ** 2))
        self.add_loss(0.25 * tf.reduce_mean((latents - tf.stop_gradient(nearest)) ** 2))
        return latents + tf.stop_gradient(nearest - latents)


class Autoencoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.encoder, self.quantizer, self.decoder = keras.layers.Dense(4), Quantizer(), keras.layers.Dense(6)
        self.tracker = keras.metrics.Mean(name="quantization")

    def call(self, x):
        return self.decoder(self.quantizer(self.encoder(x)))

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        reconstruction = tf.reduce_mean((x - y_pred) ** 2)
        quantization = tf.add_n(self.losses)
        total = reconstruction + quantization
        self.tracker.update_state(quantization)
        return total


keras.utils.set_random_seed(0)
model = Autoencoder()
model.compile(optimizer=keras.optimizers.Adam(1e-3))
model.fit(tf.random.normal((64, 6)), epochs=1, batch_size=16, verbose=0)
