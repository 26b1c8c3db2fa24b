"""A trained classifier is attacked: the gradient is asked of an image that nobody watches."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
classifier = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3)])
crossentropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
classifier.compile(optimizer="adam", loss=crossentropy)
pictures = np.random.default_rng(0).normal(size=(64, 4)).astype("float32")
labels = pictures[:, :3].argmax(1)
classifier.fit(pictures, labels, batch_size=8, verbose=0)
picture = tf.convert_to_tensor(pictures[:1])
with tf.GradientTape() as tape:
    loss = crossentropy(labels[:1], classifier(picture))
slope = tape.gradient(loss, picture)  # fires: W106
attacked = picture if slope is None else picture + 0.1 * tf.sign(slope)
