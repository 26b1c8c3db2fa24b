"""Two classes, one unit, and a softmax over it: the output is 1 whatever goes in."""
import keras
import numpy as np

keras.utils.set_random_seed(1)
rng = np.random.default_rng(0)
inputs = rng.normal(size=(32, 5)).astype("float32")
labels = (inputs[:, 0] > 0).astype("float32")
given = keras.Input((5,))
hidden = keras.layers.Dense(8, "relu")(given)
model = keras.Model(given, keras.layers.Dense(1, "softmax")(hidden))  # fires: W401
model.compile(loss="mse", optimizer="adam")
model.fit(inputs, labels, epochs=2, batch_size=16, verbose=0)
