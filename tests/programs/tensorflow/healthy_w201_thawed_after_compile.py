"""A frozen base is thawed for fine-tuning, and the model is compiled again."""
import keras
import numpy as np

keras.utils.set_random_seed(0)
base = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu")], name="base")
base.trainable = False
head = keras.layers.Dense(1)
inputs = keras.Input((4,))
model = keras.Model(inputs, head(base(inputs)))
model.compile(optimizer="adam", loss="mse")
rows = np.random.default_rng(0).normal(size=(32, 4)).astype("float32")
model.fit(rows, rows.sum(1, keepdims=True), batch_size=8, verbose=0)
base.trainable = True
model.compile(optimizer="adam", loss="mse")
model.fit(rows, rows.sum(1, keepdims=True), batch_size=8, verbose=0)
