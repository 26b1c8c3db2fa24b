"""A layer makes a gain that its call() forgets."""
import keras
import numpy as np


class Scaled(keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.units = units

    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1], self.units), name="kernel")
        self.gain = self.add_weight(shape=(self.units,), name="gain", initializer="ones")  # fires: W105

    def call(self, x):
        return keras.ops.matmul(x, self.kernel)


keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((3,)), Scaled(4), keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mse")
model.fit(np.random.rand(16, 3), np.random.rand(16, 1), batch_size=4, verbose=0)
