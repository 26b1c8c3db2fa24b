"""A variational autoencoder whose latent is rounded: of what the encoder learns from, the penalty is left."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


class Autoencoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.encoder = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(4)])
        self.decoder = keras.Sequential([keras.Input((2,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(6)])

    def train_step(self, data):
        data = tf.reshape(data, (-1, 6))
        with tf.GradientTape() as tape:
            mean, log_variance = tf.split(self.encoder(data), 2, axis=1)
            z = tf.round(mean + tf.exp(0.5 * log_variance) * tf.random.normal(tf.shape(mean)))  # fires: W104
            error = tf.reduce_mean(tf.reduce_sum((self.decoder(z) - data) ** 2, axis=1))
            kl = -0.5 * (1 + log_variance - tf.square(mean) - tf.exp(log_variance))
            loss = error + tf.reduce_mean(tf.reduce_sum(kl, axis=1))
        gradients = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_weights))
        return {"loss": loss}


model = Autoencoder()
model.compile(optimizer=keras.optimizers.Adam(1e-3))
model.fit(tf.random.normal((32, 6)), batch_size=8, epochs=1, verbose=0)
