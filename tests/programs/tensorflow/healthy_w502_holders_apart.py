"""The same with two holders, each with a network of its own."""
import keras
import numpy as np

keras.utils.set_random_seed(1)


class Values:
    def __init__(self):
        self.model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
        self.model.compile(loss="mse", optimizer="adam")

    def predict(self, states):
        return self.model.predict(states, verbose=0)


class Agent:
    def __init__(self):
        self.online = Values()
        self.target = Values()
        self.sync()

    def sync(self):
        weights = self.online.model.get_weights()
        self.target.model.set_weights(weights)

    def replay(self, states, actions, rewards, following):
        targets = self.target.predict(states)
        best = np.argmax(self.online.predict(following), axis=1)
        targets[range(8), actions] = rewards + 0.9 * self.target.predict(following)[range(8), best]
        self.online.model.fit(states, targets, epochs=1, verbose=0)


agent = Agent()
rng = np.random.default_rng(0)
for update in range(3):
    batch = rng.normal(size=(2, 8, 4)).astype("float32")
    agent.replay(batch[0], rng.integers(0, 2, 8), rng.normal(size=8), batch[1])
    agent.sync()
