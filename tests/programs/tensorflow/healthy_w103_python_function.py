"""A py_function whose body stays in TensorFlow has a gradient; one that only prints needs none."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)


def smoothed(rows):
    print("largest:", rows.numpy().max())
    return (rows + tf.roll(rows, 1, axis=1) + tf.roll(rows, -1, axis=1)) / 3.0


front, back = keras.layers.Dense(10), keras.layers.Dense(1)
optimizer = keras.optimizers.Adam(1e-3)
for update in range(3):
    x = np.random.rand(8, 6).astype("float32")
    with tf.GradientTape() as tape:
        features = tf.py_function(smoothed, (front(x),), tf.float32)
        features.set_shape((None, 10))
        loss = tf.reduce_mean((back(features) - x[:, :1]) ** 2)
    variables = [*front.trainable_variables, *back.trainable_variables]
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip(gradients, variables))
