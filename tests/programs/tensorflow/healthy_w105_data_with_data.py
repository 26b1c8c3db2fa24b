"""A variational autoencoder that compares what it made with the data, and logs what two data say."""
import keras
import tensorflow as tf
from keras import ops

keras.utils.set_random_seed(0)
encoder = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(4)])
decoder = keras.Sequential([keras.Input((2,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(6, "sigmoid")])


class Autoencoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder

    def train_step(self, data):
        with tf.GradientTape() as tape:
            mean, spread = ops.split(self.encoder(data), 2, axis=1)
            made = self.decoder(mean + ops.exp(0.5 * spread) * keras.random.normal(ops.shape(mean)))
            reconstruction = ops.mean(
                ops.sum(
                    keras.losses.binary_crossentropy(data, made),
                    axis=0,
                )
            )
            kl = -0.5 * ops.mean(1 + spread - ops.square(mean) - ops.exp(spread))
            loss = reconstruction + kl
        grads = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(grads, self.trainable_weights))
        return {"loss": loss, "pairs": ops.mean(ops.square(data - ops.flip(data, 0)))}


model = Autoencoder()
model.compile(optimizer=keras.optimizers.Adam(1e-3))
model.fit(tf.random.uniform((64, 6)), batch_size=16, epochs=1, verbose=0)
