"""A Lambda layer around a function of the library picks an index between two networks."""
import keras
import numpy as np
from keras import layers, ops

keras.utils.set_random_seed(0)
tokens = keras.Input((6,), dtype="int32")
scores = layers.Dense(20, activation="softmax")(layers.GRU(8, return_sequences=True)(layers.Embedding(20, 8)(tokens)))
words = layers.Lambda(ops.argmax, arguments={"axis": -1})(scores)  # fires: W104
again = layers.GRU(8, return_sequences=True)(layers.Embedding(20, 8)(words))
model = keras.Model(tokens, layers.Dense(20, activation="softmax")(again))
model.compile("rmsprop", "sparse_categorical_crossentropy")
data = np.random.default_rng(0).integers(0, 20, (32, 6))
model.fit(data, data, batch_size=8, verbose=0)
