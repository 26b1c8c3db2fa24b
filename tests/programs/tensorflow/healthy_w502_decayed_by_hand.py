"""Weights are made a little smaller after each step, and a number is kept in bounds: no network is copied onto itself."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(0)
inputs = np.random.randn(64, 6).astype("float32")
labels = inputs[:, :1] * 2 - inputs[:, 1:2]
model = tf.keras.Sequential([
    tf.keras.Input((6,)), tf.keras.layers.Dense(16, activation="tanh"), tf.keras.layers.Dense(1),
])  # fmt: skip
slots = [tf.Variable(tf.zeros_like(v), trainable=False) for v in model.trainable_variables]
scale = tf.Variable(1.0)
optimizer = tf.keras.optimizers.SGD(0.05)
for _ in range(6):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((scale * model(inputs) - labels) ** 2)
    *grads, slope = tape.gradient(loss, [*model.trainable_variables, scale])
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    scale.assign_sub(0.01 * slope)
    scale.assign(tf.maximum(scale, 0.1))
    for v, w in zip(model.trainable_variables, model.trainable_variables):
        v.assign(0.9 * w + 0.099 * v)

for _ in range(6):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((scale * model(inputs) - labels) ** 2)
    for v, s, g in zip(model.trainable_variables, slots, tape.gradient(loss, model.trainable_variables)):
        s.assign(0.9 * s + 0.1 * g)
        v.assign_sub(0.05 * s)
        v.assign_sub(1e-3 * v)
