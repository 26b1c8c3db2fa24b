"""What TF.js would have saved."""

import keras
from whygrad.interchange.keras_graph import graph_of
from whygrad.interchange.tfjs_writing import write_tfjs

q = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(2)])
write_tfjs("web", graph_of(q))
