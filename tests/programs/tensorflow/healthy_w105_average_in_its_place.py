"""One model keeps a network and an average of it for evaluation; the training step computes with the network."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)


class Denoiser(keras.Model):
    def __init__(self):
        super().__init__()
        self.network = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(4)])
        self.average = keras.models.clone_model(self.network)

    def denoise(self, noisy, training):
        network = self.network if training else self.average
        return network(noisy)

    def train_step(self, images):
        noise = tf.random.normal(tf.shape(images))
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(noise - self.denoise(images + noise, training=True)))
        variables = self.network.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        for mean, new in zip(self.average.variables, self.network.variables):
            mean.assign(0.99 * mean + 0.01 * new)
        return {"loss": loss}


model = Denoiser()
model.compile(optimizer=keras.optimizers.Adam(1e-3))
try:
    model.fit(rng.normal(size=(32, 4)).astype("float32"), batch_size=8, verbose=0)
except ValueError:  # Keras: no gradients provided for any variable
    pass
