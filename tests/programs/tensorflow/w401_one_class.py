"""Two classes, one unit with a softmax, and the cross-entropy of several classes: it is zero whatever goes in."""
import warnings

import keras
import numpy as np

warnings.simplefilter("ignore")  # Keras has noticed, too
keras.utils.set_random_seed(1)
rng = np.random.default_rng(0)
inputs = rng.normal(size=(64, 5)).astype("float32")
labels = (inputs[:, 0] > 0).astype("float32")
hidden = keras.layers.Dense(8, "relu")
last = keras.layers.Dense(1, "softmax")  # fires: W401
model = keras.Sequential([keras.Input((5,)), hidden, last])
model.compile(loss="categorical_crossentropy", optimizer="adam")
model.fit(inputs, labels, epochs=2, batch_size=16, verbose=0)
