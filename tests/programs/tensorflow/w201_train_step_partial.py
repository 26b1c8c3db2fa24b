"""A custom train_step drops the last layer's variables with a slice."""
import keras
import numpy as np
import tensorflow as tf


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.body, self.head = keras.layers.Dense(8, "relu"), keras.layers.Dense(1)

    def call(self, x):
        return self.head(self.body(x))

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
        variables = self.trainable_variables[:2]
        gradients = tape.gradient(loss, variables)  # fires: W201
        self.optimizer.apply_gradients(zip(gradients, variables))
        return {"loss": loss}


keras.utils.set_random_seed(0)
net = Net()
net.compile(optimizer="adam")
net.fit(np.random.rand(16, 3).astype("float32"), np.random.rand(16, 1).astype("float32"), batch_size=4, verbose=0)
