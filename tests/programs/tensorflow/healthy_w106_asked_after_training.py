"""A trained classifier is asked for a saliency map, for the importance of its weights, and for the input it likes."""
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
    tape.watch(picture)
    score = classifier(picture)[0, 1]
saliency = tape.gradient(score, picture)
importance = [tf.zeros_like(v) for v in classifier.trainable_variables]
for row in range(8):
    with tf.GradientTape() as tape:
        chance = tf.nn.log_softmax(classifier(pictures[row : row + 1]))[0, int(labels[row])]
    slopes = tape.gradient(chance, classifier.trainable_variables)
    importance = [before + slope**2 for before, slope in zip(importance, slopes, strict=True)]
liked = tf.Variable(pictures[:1])
for _ in range(6):
    with tf.GradientTape() as tape:
        wish = -tf.reduce_mean(classifier(liked)[:, 0])
    liked.assign_sub(0.1 * tape.gradient(wish, liked))
