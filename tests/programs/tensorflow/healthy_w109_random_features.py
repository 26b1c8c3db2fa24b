"""Random features of what a layer learns: fixed random directions, a cosine, and a readout."""
import keras
import tensorflow as tf
from keras import layers, ops

keras.utils.set_random_seed(0)


class Features(layers.Layer):
    def build(self, shape):
        self.directions = self.add_weight(
            shape=(shape[-1], 64), initializer="random_normal", trainable=False, name="directions"
        )
        self.phases = self.add_weight(shape=(64,), initializer="random_uniform", trainable=False, name="phases")

    def call(self, inputs):
        return ops.cos(ops.matmul(inputs, self.directions) + self.phases)


net = keras.Sequential([keras.Input((8,)), layers.Dense(16, "relu"), Features(), layers.Dense(1)])
net.compile("adam", "mse")
inputs = tf.random.normal((64, 8))
net.fit(inputs, inputs[:, :1], epochs=2, batch_size=16, verbose=0)
