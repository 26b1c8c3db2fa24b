"""Double DQN by `fit`: the target network is asked for the states as well, and the sync goes the wrong way."""
import keras
import numpy as np

keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)


def build():
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
    model.compile(loss="mse", optimizer=keras.optimizers.Adam(1e-2))
    return model


online, target = build(), build()
rows = np.arange(16)
for _ in range(4):
    states, after = rng.normal(size=(16, 4)).astype("float32"), rng.normal(size=(16, 4)).astype("float32")
    actions, rewards = rng.integers(0, 2, size=16), rng.normal(size=16)
    wanted = target.predict(states, verbose=0)
    best = np.argmax(online.predict(after, verbose=0), axis=1)
    wanted[rows, actions] = rewards + 0.95 * target.predict(after, verbose=0)[rows, best]
    online.fit(states, wanted, epochs=1, verbose=0)
    online.set_weights(target.get_weights())  # fires: W503
