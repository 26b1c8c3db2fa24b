"""Keras looks into lists, dicts and nested layers."""
import keras
import numpy as np


class Tower(keras.Model):
    def __init__(self):
        super().__init__()
        self.blocks = [keras.layers.Dense(4, "relu") for _ in range(2)]
        self.heads = {"value": keras.layers.Dense(1), "scale": keras.layers.Dense(1)}

    def call(self, x):
        for block in self.blocks:
            x = block(x)
        return self.heads["value"](x) * self.heads["scale"](x)


keras.utils.set_random_seed(0)
tower = Tower()
tower.compile(optimizer="adam", loss="mse")
tower.fit(np.random.rand(16, 3), np.random.rand(16, 1), batch_size=4, verbose=0)
