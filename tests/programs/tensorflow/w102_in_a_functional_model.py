"""A functional model: the features are stopped by an operation on symbolic tensors, which runs within fit."""
import keras
import numpy as np

keras.utils.set_random_seed(0)
inputs = keras.Input((6,))
features = keras.layers.Dense(8, "relu", name="encoder")(inputs)
features = keras.ops.stop_gradient(features)  # fires: W102
outputs = keras.layers.Dense(1)(features)
model = keras.Model(inputs, outputs)
model.compile(optimizer="sgd", loss="mse")
rng = np.random.default_rng(0)
model.fit(rng.normal(size=(32, 6)), rng.normal(size=(32, 1)), batch_size=8, epochs=1, verbose=0)
