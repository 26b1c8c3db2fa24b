"""A fixed network prepares the data in the pipeline, and only the head is trained."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
encoder = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(4)])
head = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3)])
optimizer = keras.optimizers.Adam(1e-3)
data = tf.data.Dataset.from_tensor_slices((rng.normal(size=(32, 6)).astype("float32"), rng.integers(0, 3, size=32)))


def encoded(inputs, labels):
    return encoder(inputs), labels


for features, labels in data.batch(8).map(encoded):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(labels, head(features), from_logits=True))
    optimizer.apply_gradients(zip(tape.gradient(loss, head.trainable_variables), head.trainable_variables))
