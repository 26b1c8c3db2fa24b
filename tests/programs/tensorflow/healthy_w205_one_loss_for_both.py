"""An augmenter and a classifier learn by one loss, asked for in two requests; a second loss is only printed."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
augmenter = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(4)])
classifier = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3)])
a_optimizer, c_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
cross_entropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def train_step(x, y):
    with tf.GradientTape(persistent=True) as tape:
        plain, changed = classifier(x), classifier(augmenter(x))
        loss = cross_entropy(y, plain) + cross_entropy(y, changed)
    a_gradients = tape.gradient(loss, augmenter.trainable_variables)
    c_gradients = tape.gradient(loss, classifier.trainable_variables)
    a_optimizer.apply_gradients(zip(a_gradients, augmenter.trainable_variables))
    c_optimizer.apply_gradients(zip(c_gradients, classifier.trainable_variables))
    print(float(loss), float(cross_entropy(y, classifier(augmenter(x)))))


for _ in range(3):
    train_step(tf.random.normal((8, 4)), tf.constant([0, 1, 2, 0, 1, 2, 0, 1]))
