"""A Keras model trained with fit, with a hidden layer whose bias begins far below zero."""

import keras
import numpy as np

keras.utils.set_random_seed(0)
model = keras.Sequential(
    [
        keras.Input((4,)),
        keras.layers.Dense(16, activation="relu"),
        keras.layers.Dense(16, activation="relu", bias_initializer=keras.initializers.Constant(-30.0)),  # fires: W401
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer="adam", loss="mse")
inputs = np.random.default_rng(0).normal(size=(64, 4)).astype("float32")
model.fit(inputs, inputs.sum(axis=1, keepdims=True), epochs=2, batch_size=16, verbose=0)
