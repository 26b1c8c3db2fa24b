"""A model holds student and teacher, both of convolutions, and `fit` trains what it holds."""

import keras
import numpy as np


class Distiller(keras.Model):
    def __init__(self, student, teacher):
        super().__init__()
        self.student, self.teacher = student, teacher

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        soft = keras.ops.softmax(self.teacher(x, training=False) / 3.0)  # fires: W205
        label_loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)(y, y_pred)
        return label_loss + keras.losses.KLDivergence()(soft, keras.ops.softmax(y_pred / 3.0))

    def call(self, x):
        return self.student(x)


def network(width):
    layers = [keras.layers.Conv2D(width, 3, activation="relu"), keras.layers.Flatten(), keras.layers.Dense(3)]
    return keras.Sequential([keras.Input((6, 6, 1)), *layers])


keras.utils.set_random_seed(0)
images, labels = np.random.normal(size=(64, 6, 6, 1)).astype("float32"), np.random.randint(0, 3, 64)
teacher, student = network(8), network(2)
teacher.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
teacher.fit(images, labels, epochs=3, batch_size=32, verbose=0)
distiller = Distiller(student, teacher)
distiller.compile(keras.optimizers.Adam(1e-3))
distiller.fit(images, labels, epochs=3, batch_size=32, verbose=0)
