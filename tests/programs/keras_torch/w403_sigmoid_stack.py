"""A Keras model on torch with fourteen sigmoid layers, trained with fit."""

import keras
import numpy as np

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,))])
for _ in range(14):
    model.add(keras.layers.Dense(16, activation="sigmoid"))
model.add(keras.layers.Dense(1))
model.compile(optimizer="adam", loss="mse")
states = np.random.default_rng(0).normal(size=(64, 4)).astype("float32")
model.fit(states, states.sum(axis=1), batch_size=16, epochs=1, verbose=0)  # fires: W403
