"""A functional model with a square root of activations that are zero at times."""
import keras
import numpy as np
from keras import layers, ops

keras.utils.set_random_seed(0)
inputs = keras.Input((6,))
strength = ops.sqrt(layers.Dense(8, activation="relu")(inputs))  # fires: W402
model = keras.Model(inputs, layers.Dense(6)(strength))
model.compile("adam", "mse")
data = np.random.default_rng(0).random((64, 6)).astype("float32")
model.fit(data, data, epochs=2, verbose=0)
