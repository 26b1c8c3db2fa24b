"""Gradients are summed up in variables, which are emptied before they are applied."""

import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.SGD(0.05)
sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in model.trainable_variables]


def reset():
    for total in sums:
        total.assign(tf.zeros_like(total))  # fires: W301


for batch in range(12):
    inputs = tf.random.normal((16, 3))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(inputs) - inputs[:, :1]) ** 2)
    for total, gradient in zip(sums, tape.gradient(loss, model.trainable_variables), strict=True):
        total.assign_add(gradient)
    if batch % 3 == 2:
        reset()
        optimizer.apply_gradients(zip(sums, model.trainable_variables, strict=True))
