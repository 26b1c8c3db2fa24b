"""A layer hidden in a plain object, under fit."""
import types

import keras
import numpy as np


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.body = keras.layers.Dense(8, "relu")
        self.parts = types.SimpleNamespace(head=keras.layers.Dense(1))  # fires: W203

    def call(self, x):
        return self.parts.head(self.body(x))


keras.utils.set_random_seed(0)
net = Net()
net.compile(optimizer="sgd", loss="mse")
net.fit(np.random.rand(16, 4), np.random.rand(16, 1), batch_size=4, verbose=0)
