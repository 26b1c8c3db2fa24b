"""The function of a Lambda layer uses a layer, which the model does not list."""
import keras
import numpy as np

keras.utils.set_random_seed(0)
projection = keras.layers.Dense(8, "tanh")
projection.build((None, 4))

inputs = keras.Input((3,))
hidden = keras.layers.Dense(4, "tanh")(inputs)
hidden = keras.layers.Lambda(lambda h: projection(h))(hidden)  # fires: W203
model = keras.Model(inputs, keras.layers.Dense(1)(hidden))
model.compile(optimizer="adam", loss="mse")
model.fit(np.random.rand(16, 3), np.random.rand(16, 1), batch_size=4, verbose=0)
