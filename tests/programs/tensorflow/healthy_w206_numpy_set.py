"""A step by hand on the arrays of get_weights(), which are set."""

import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, activation="relu"), keras.layers.Dense(1)])


def train(inputs, rate=0.05):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(inputs) - inputs[:, :1]) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    weights = model.get_weights()
    for index, gradient in enumerate(gradients):
        weights[index] = weights[index] - rate * gradient.numpy()
    model.set_weights(weights)


for _update in range(4):
    train(tf.random.normal((16, 3)))
