"""A weight of a recurrent cell is multiplied in."""
import keras
import numpy as np
import tensorflow as tf


class Cell(keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.units = self.state_size = units

    def build(self, shape):
        self.reset = self.add_weight(shape=(shape[-1] + self.units, self.units), name="reset")
        self.candidate = self.add_weight(shape=(shape[-1] + self.units, self.units), name="candidate")
        self.bias = self.add_weight(shape=(self.units,), name="bias")
        self.scale = self.add_weight(shape=(self.units,), initializer="ones", name="scale")

    def call(self, inputs, states):
        (state,) = states
        gate = tf.sigmoid(tf.concat([inputs, state], 1) @ self.reset + self.bias)
        mixed = gate * self.scale
        mixed = mixed * state
        state = tf.tanh(tf.concat([inputs, mixed], 1) @ self.candidate)
        return state, [state]


model = keras.Sequential([keras.Input((6, 3)), keras.layers.RNN(Cell(8)), keras.layers.Dense(1)])
model.compile(optimizer="adam", loss="mse")
data = np.random.default_rng(0).normal(size=(64, 6, 3)).astype("float32")
model.fit(data, data.sum(axis=(1, 2))[:, None], epochs=3, batch_size=16, verbose=0)
