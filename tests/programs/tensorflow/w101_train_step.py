"""A custom train_step that calls the model before it opens the tape."""
import keras
import numpy as np
import tensorflow as tf


class Regressor(keras.Model):
    def __init__(self):
        super().__init__()
        self.body = keras.layers.Dense(8, "relu")
        self.head = keras.layers.Dense(1)

    def call(self, x):
        return self.head(self.body(x))

    def train_step(self, data):
        x, y = data
        prediction = self(x, training=True)  # fires: W101
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((prediction - y) ** 2)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


keras.utils.set_random_seed(0)
model = Regressor()
model.compile(optimizer="adam")
model.fit(np.random.rand(16, 3).astype("float32"), np.random.rand(16, 1).astype("float32"), verbose=0)
