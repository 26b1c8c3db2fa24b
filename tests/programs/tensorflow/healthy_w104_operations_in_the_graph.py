"""A functional model that compares, casts and divides in its graph, each beside a way that carries the gradient."""
import keras
import numpy as np
from keras import layers, ops

keras.utils.set_random_seed(0)
inputs = keras.Input((6,))
hidden = layers.Dense(8, activation="relu")(inputs)
open_gate = ops.cast(ops.greater(hidden, 0.1), "float32")
scaled = hidden * open_gate / (ops.sqrt(ops.sum(hidden * hidden, axis=-1, keepdims=True) + 1e-6))
lengths = layers.Lambda(ops.sum, arguments={"axis": -1, "keepdims": True})(scaled)
model = keras.Model(inputs, layers.Dense(6)(ops.concatenate([scaled, lengths], axis=-1)))
model.compile("adam", "mse")
data = np.random.default_rng(0).random((64, 6)).astype("float32")
model.fit(data, data, epochs=2, verbose=0)
