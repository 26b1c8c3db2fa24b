"""A student of its teacher's build: fit is given what the teacher predicts for the same rows, some of it corrected."""
import keras
import numpy as np

keras.utils.set_random_seed(1)


def build():
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
    model.compile(loss="mse", optimizer="adam")
    return model


rng = np.random.default_rng(0)
inputs = rng.normal(size=(16, 4)).astype("float32")
labels = rng.normal(size=(16, 2)).astype("float32")
teacher, student = build(), build()
for _ in range(4):
    soft = teacher.predict(inputs, verbose=0)
    soft[:4] = 0.5 * soft[:4] + 0.5 * labels[:4]
    student.fit(inputs, soft, epochs=1, verbose=0)
