"""Q-learning with holders that fit and predict: the sync copies the weights from one network into the other."""
import keras
import numpy as np

keras.utils.set_random_seed(1)


class Values:
    def __init__(self):
        self.model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
        self.model.compile(loss="mse", optimizer="adam")

    def predict(self, states):
        return self.model.predict(states, verbose=0)

    def train(self, states, targets):
        self.model.fit(states, targets, epochs=1, verbose=0)


class Agent:
    def __init__(self):
        self.online, self.slow = Values(), Values()
        self.sync()

    def sync(self):
        self.slow.model.set_weights(self.online.model.get_weights())

    def replay(self, states, actions, rewards, following):
        targets = self.slow.predict(states)
        targets[range(8), actions] = rewards + 0.9 * self.slow.predict(following).max(axis=1)
        self.online.train(states, targets)


agent = Agent()
rng = np.random.default_rng(0)
for update in range(3):
    batch = rng.normal(size=(2, 8, 4)).astype("float32")
    agent.replay(batch[0], rng.integers(0, 2, 8), rng.normal(size=8), batch[1])
    agent.sync()
