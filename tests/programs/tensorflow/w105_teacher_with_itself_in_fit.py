"""A distiller under `fit`, whose teacher had its own training before: the soft loss compares it with itself."""
import keras
import numpy as np
from keras import ops

keras.utils.set_random_seed(0)
teacher = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(3)])
student = keras.Sequential([keras.Input((4,)), keras.layers.Dense(4, "relu"), keras.layers.Dense(3)])
divergence = keras.losses.KLDivergence()
cross_entropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


class Distiller(keras.Model):
    def __init__(self):
        super().__init__()
        self.teacher, self.student = teacher, student

    def call(self, x):
        return self.student(x)

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        from_teacher = self.teacher(x)
        soft = divergence(ops.softmax(from_teacher / 3.0), ops.softmax(from_teacher / 3.0))  # fires: W105
        return 0.1 * cross_entropy(y, y_pred) + 0.9 * soft


x, y = np.random.randn(64, 4).astype("float32"), np.random.randint(0, 3, 64)
teacher.compile("adam", cross_entropy)
teacher.fit(x, y, batch_size=16, verbose=0)
teacher.trainable = False
distiller = Distiller()
distiller.compile("adam")
distiller.fit(x, y, batch_size=16, verbose=0)
