"""A functional model whose features are scaled by their own stopped size: the gradient has another way."""
import keras
import numpy as np

keras.utils.set_random_seed(0)
inputs = keras.Input((6,))
features = keras.layers.Dense(8, "relu", name="encoder")(inputs)
size = keras.ops.stop_gradient(keras.ops.mean(keras.ops.abs(features), axis=1, keepdims=True))
outputs = keras.layers.Dense(1)(features / (size + 1.0))
model = keras.Model(inputs, outputs)
model.compile(optimizer="sgd", loss="mse")
rng = np.random.default_rng(0)
model.fit(rng.normal(size=(32, 6)), rng.normal(size=(32, 1)), batch_size=8, epochs=1, verbose=0)
