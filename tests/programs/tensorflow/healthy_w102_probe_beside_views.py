"""Encoders that learn without labels, each with a probe on its stopped code: two views, and a teacher to follow."""

import keras
import tensorflow as tf


def network(hidden):
    return keras.Sequential([keras.Input((12,)), keras.layers.Dense(hidden, "relu"), keras.layers.Dense(8)])


tf.random.set_seed(0)
encoder, student, teacher = network(16), network(16), network(32)
teacher.trainable = False
probe, test = (keras.Sequential([keras.Input((8,)), keras.layers.Dense(3)]) for _ in range(2))
models = (encoder, student, probe, test)
optimizer = keras.optimizers.Adam(1e-3)
variables = [variable for model in models for variable in model.trainable_variables]
judged = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
for _ in range(4):
    x, labels = tf.random.normal((16, 12)), tf.random.uniform((16,), 0, 3, tf.int32)
    with tf.GradientTape() as tape:
        one, two = (encoder(x + 0.1 * tf.random.normal((16, 12))) for _ in range(2))
        spread = [tf.nn.relu(1 - tf.sqrt(tf.math.reduce_variance(z, 0) + 1e-4)) for z in (one, two)]
        loss = tf.reduce_mean((one - two) ** 2) + tf.reduce_mean(spread)
        loss += judged(labels, probe(tf.stop_gradient(one)))
        code = student(x)
        loss += tf.reduce_mean((code - teacher(x)) ** 2) + judged(labels, test(tf.stop_gradient(code)))
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
