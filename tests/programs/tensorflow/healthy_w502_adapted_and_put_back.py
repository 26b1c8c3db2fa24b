"""First-order MAML: the weights are adapted in place to each task, and what they were before is put back from NumPy."""

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
meta = tf.keras.optimizers.Adam(1e-3)
for _ in range(6):
    before = [v.numpy() for v in model.trainable_variables]
    total = [tf.zeros_like(v) for v in model.trainable_variables]
    for task in (1.0, 2.0, 3.0):
        for _ in range(2):
            with tf.GradientTape() as tape:
                inner = tf.reduce_mean((model(inputs[:32]) - task * labels[:32]) ** 2)
            for v, g in zip(model.trainable_variables, tape.gradient(inner, model.trainable_variables)):
                v.assign_sub(0.05 * g)
        with tf.GradientTape() as tape:
            outer = tf.reduce_mean((model(inputs[32:]) - task * labels[32:]) ** 2)
        total = [a + g for a, g in zip(total, tape.gradient(outer, model.trainable_variables))]
        for v, old in zip(model.trainable_variables, before):
            v.assign(old)
    meta.apply_gradients(zip([g / 3 for g in total], model.trainable_variables))
