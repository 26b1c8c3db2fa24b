"""A function trains one network and lets the other follow; the program has two."""
import keras
import numpy as np


def network():
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])


online = network()
target = network()
online.compile(optimizer="adam", loss="mse")
memory = []


def train(online, memory, target=None):
    states, actions, rewards, following = (np.array(part) for part in zip(*memory[-16:]))
    values = online(states).numpy()
    best = np.argmax(online(following).numpy(), axis=1)
    values[np.arange(16), actions] = rewards + 0.95 * target(following).numpy()[np.arange(16), best]
    loss = online.train_on_batch(states, values)
    for theirs, ours in zip(target.trainable_variables, online.trainable_variables):
        theirs.assign(theirs * 0.9 + ours * 0.1)
    return loss


double = True
rng = np.random.default_rng(0)
for step in range(24):
    state = rng.normal(size=4).astype("float32")
    memory.append((state, rng.integers(2), rng.normal(), state + 0.1))
    if step >= 16:
        train(online, memory, target if double else None)
