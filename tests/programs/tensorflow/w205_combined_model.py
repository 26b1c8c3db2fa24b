"""A generator and a discriminator in one combined model, whose step trains the discriminator too."""
import keras
import numpy as np

keras.utils.set_random_seed(1)
judge = keras.Sequential([keras.Input((2,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1, "sigmoid")])
judge.compile(loss="binary_crossentropy", optimizer=keras.optimizers.Adam(1e-3))
maker = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
noise = keras.Input((3,))
combined = keras.Model(noise, judge(maker(noise)))
combined.compile(loss="binary_crossentropy", optimizer=keras.optimizers.Adam(1e-3))
rng = np.random.default_rng(0)
for _ in range(4):
    real = rng.normal(1.0, 0.2, size=(8, 2)).astype("float32")
    made = maker.predict(rng.normal(size=(8, 3)).astype("float32"), verbose=0)
    judge.train_on_batch(real, np.ones((8, 1)))
    judge.train_on_batch(made, np.zeros((8, 1)))
    combined.train_on_batch(rng.normal(size=(8, 3)).astype("float32"), np.ones((8, 1)))  # fires: W205
