"""Functional model under fit: batch normalisation, dropout, two outputs, evaluation and prediction."""
import keras
import numpy as np

keras.utils.set_random_seed(0)
inputs = keras.Input((6,))
hidden = keras.layers.BatchNormalization()(keras.layers.Dense(8, "relu")(inputs))
hidden = keras.layers.Dropout(0.2)(hidden)
outputs = {"main": keras.layers.Dense(1, name="main")(hidden), "extra": keras.layers.Dense(2, name="extra")(hidden)}
model = keras.Model(inputs, outputs)
model.compile(optimizer="adam", loss={"main": "mse", "extra": "mse"})
x, y = np.random.rand(16, 6), {"main": np.random.rand(16, 1), "extra": np.random.rand(16, 2)}
model.fit(x, y, batch_size=8, epochs=2, verbose=0)
print(model.evaluate(x, y, verbose=0), model.predict(x, verbose=0)["main"].mean())
