"""A sigmoid on inputs in the millions: now and then a single row leaves a gradient of next to nothing."""

import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)
hidden, head = keras.layers.Dense(12), keras.layers.Dense(1)
optimizer = keras.optimizers.SGD(0.1)
compare = keras.losses.BinaryCrossentropy(from_logits=True)
for _update in range(6):
    pixels = tf.random.uniform((64, 3)) * 1e6
    labels = tf.cast(pixels[:, :1] > pixels[:, 1:2], tf.float32)
    with tf.GradientTape() as tape:
        units = tf.sigmoid(hidden(pixels))  # fires: W401
        loss = compare(labels, head(units))
    variables = [*hidden.trainable_variables, *head.trainable_variables]
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
