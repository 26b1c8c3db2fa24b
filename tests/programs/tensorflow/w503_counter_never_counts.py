"""The sync waits for a counter that is set to zero, and set to zero again, and never counted up."""
from collections import deque

import keras
import numpy as np


class Agent:
    def __init__(self):
        self.model = self.build()
        self.target_model = self.build()
        self.target_model.set_weights(self.model.get_weights())
        self.memory = deque(maxlen=200)
        self.since_sync = 0

    def build(self):
        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
        model.compile(loss="mse", optimizer="adam")
        return model

    def train(self, done):
        batch = [self.memory[i] for i in np.random.choice(len(self.memory), 8)]
        states, actions, rewards, following = (np.array(part) for part in zip(*batch))
        values, later = self.model.predict(states, verbose=0), self.target_model.predict(following, verbose=0)
        values[np.arange(8), actions] = rewards + 0.99 * later.max(axis=1)
        self.model.fit(states, values, batch_size=8, verbose=0)
        if self.since_sync > 5:  # fires: W503
            self.target_model.set_weights(self.model.get_weights())
            self.since_sync = 0


agent = Agent()
rng = np.random.default_rng(0)
for step in range(16):
    state = rng.normal(size=4).astype("float32")
    agent.memory.append((state, rng.integers(2), rng.normal(), state + 0.1))
    if step > 9:
        agent.train(step % 4 == 0)
