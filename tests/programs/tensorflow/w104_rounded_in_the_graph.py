"""A functional model whose code is rounded by an operation of its graph: the line is the one that put it there."""
import keras
import numpy as np
from keras import layers, ops

keras.utils.set_random_seed(0)
inputs = keras.Input((6,))
code = layers.Dense(8, activation="sigmoid")(layers.Dense(16, activation="relu")(inputs))
bits = ops.round(code)  # fires: W104
model = keras.Model(inputs, layers.Dense(6)(bits))
model.compile("adam", "mse")
data = np.random.default_rng(0).random((64, 6)).astype("float32")
model.fit(data, data, epochs=2, verbose=0)
