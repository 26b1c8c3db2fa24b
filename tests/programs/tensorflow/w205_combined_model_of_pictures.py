"""A combined model that trains the judge too; the made pictures are too many numbers to be known one by one."""
import keras
import numpy as np

keras.utils.set_random_seed(1)
judge = keras.Sequential([keras.Input((12, 12, 1)), keras.layers.Flatten(), keras.layers.Dense(1, "sigmoid")])
judge.compile(loss="binary_crossentropy", optimizer=keras.optimizers.Adam(1e-3))
maker = keras.Sequential([keras.Input((3,)), keras.layers.Dense(144, "tanh"), keras.layers.Reshape((12, 12, 1))])
noise = keras.Input((3,))
combined = keras.Model(noise, judge(maker(noise)))
combined.compile(loss="binary_crossentropy", optimizer=keras.optimizers.Adam(1e-3))
rng = np.random.default_rng(0)
for _ in range(3):
    real = rng.normal(1.0, 0.2, size=(32, 12, 12, 1)).astype("float32")
    made = maker.predict(rng.normal(size=(32, 3)).astype("float32"), verbose=0)
    judge.fit(real, np.ones((32, 1)), shuffle=False, verbose=0)
    judge.fit(made, np.zeros((32, 1)), shuffle=False, verbose=0)
    combined.fit(rng.normal(size=(32, 3)).astype("float32"), np.ones((32, 1)), verbose=0)  # fires: W205
