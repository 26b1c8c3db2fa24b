"""A model whose layers are kept in a list of the script: it has no variables of its own to ask for."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
layers = [keras.layers.Dense(8, "relu"), keras.layers.Dense(2)]


class Regressor(keras.Model):
    def call(self, x):
        for layer in layers:
            x = layer(x)
        return x

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x) - y) ** 2)
        gradients = tape.gradient(loss, self.trainable_variables)  # fires: W201
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


model = Regressor()
model.compile(optimizer=keras.optimizers.Adam(1e-3))
model.fit(tf.random.normal((16, 4)), tf.random.normal((16, 2)), batch_size=8, verbose=0)
