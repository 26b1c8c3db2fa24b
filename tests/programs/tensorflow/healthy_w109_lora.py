"""LoRA in Keras: the kernel is frozen, the adapters train."""
import keras
import numpy as np


class LoraDense(keras.layers.Layer):
    def __init__(self, units, rank=2):
        super().__init__()
        self.units, self.rank = units, rank

    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1], self.units), name="kernel", trainable=False)
        self.down = self.add_weight(shape=(shape[-1], self.rank), name="down")
        self.up = self.add_weight(shape=(self.rank, self.units), name="up")

    def call(self, x):
        return keras.ops.matmul(x, self.kernel) + keras.ops.matmul(keras.ops.matmul(x, self.down), self.up)


keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((6,)), LoraDense(8), keras.layers.ReLU(), LoraDense(1)])
model.compile(optimizer="adam", loss="mse")
model.fit(np.random.rand(16, 6), np.random.rand(16, 1), batch_size=4, verbose=0)
