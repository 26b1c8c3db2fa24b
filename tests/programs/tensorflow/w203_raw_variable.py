"""A layer ported from Keras 2: Keras 3 does not track a tf.Variable."""
import keras
import numpy as np
import tensorflow as tf


class Scaled(keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.dense = keras.layers.Dense(units)
        self.scale = tf.Variable(tf.ones((units,)), name="scale")  # fires: W203

    def call(self, x):
        return self.dense(x) * self.scale


keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((3,)), Scaled(4), keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mse")
model.fit(np.random.rand(16, 3), np.random.rand(16, 1), batch_size=4, verbose=0)
