"""Sharpness-aware training: the second loss is computed with the perturbed weights, for they were written in place."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(0)
inputs = np.random.randn(64, 6).astype("float32")
labels = inputs[:, :1] * 2 - inputs[:, 1:2]
model = tf.keras.Sequential([
    tf.keras.Input((6,)),
    tf.keras.layers.Dense(16, activation="tanh"), tf.keras.layers.LayerNormalization(),
    tf.keras.layers.Dense(16, activation="tanh"), tf.keras.layers.LayerNormalization(),
    tf.keras.layers.Dense(1),
])  # fmt: skip
optimizer = tf.keras.optimizers.SGD(1e-3)


@tf.function
def train_step():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(inputs) - labels) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    norm = tf.linalg.global_norm(grads)
    added = []
    for variable, grad in zip(model.trainable_variables, grads):
        added.append(grad * 0.5 / norm)
        variable.assign_add(added[-1])
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(inputs) - labels) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    for variable, step in zip(model.trainable_variables, added):
        variable.assign_sub(step)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))


for _ in range(8):
    train_step()
