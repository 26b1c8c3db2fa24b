"""A loss is computed by NumPy inside of a `tf.py_function`, which is differentiable only as far as its body is."""
import keras
import numpy as np
import tensorflow as tf


def worst(true, predicted):
    rows = np.abs(true.numpy() - predicted.numpy())  # fires: W103
    return np.float32(rows.max(1).mean())


def loss(true, predicted):
    return tf.py_function(worst, [true, predicted], tf.float32)


keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
model.compile(optimizer="adam", loss=loss)
rows = np.random.default_rng(0).normal(size=(32, 4)).astype("float32")
model.fit(rows, rows[:, :2], batch_size=8, verbose=0)
