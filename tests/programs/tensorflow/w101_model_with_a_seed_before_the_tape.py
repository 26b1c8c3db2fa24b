"""A variational autoencoder, which keeps a seed for its noise, is called before the tape is opened."""
import keras
from keras import layers
import tensorflow as tf


class Autoencoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.encoder = keras.Sequential([keras.Input((6,)), layers.Dense(16, "relu")])
        self.mean, self.spread = layers.Dense(2), layers.Dense(2)
        self.decoder = keras.Sequential([keras.Input((2,)), layers.Dense(16, "relu"), layers.Dense(6)])
        self.seed = keras.random.SeedGenerator(0)

    def call(self, x):
        hidden = self.encoder(x)
        mean, spread = self.mean(hidden), self.spread(hidden)
        z = mean + tf.exp(0.5 * spread) * keras.random.normal(tf.shape(mean), seed=self.seed)
        return self.decoder(z), mean, spread


def loss_of(x, made, mean, spread):
    penalty = -0.5 * tf.reduce_sum(1 + spread - tf.square(mean) - tf.exp(spread), axis=1)
    return tf.reduce_mean(tf.square(x - made)) + tf.reduce_mean(penalty)


keras.utils.set_random_seed(0)
model, optimizer = Autoencoder(), keras.optimizers.Adam(1e-3)
for _ in range(4):
    x = tf.random.normal((16, 6))
    made, mean, spread = model(x)  # fires: W101
    with tf.GradientTape() as tape:
        loss = loss_of(x, made, mean, spread)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
