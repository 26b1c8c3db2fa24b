"""The sync copies weights; targets are put together in NumPy for train_on_batch."""
import keras
import numpy as np


def network():
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
    model.compile(optimizer="adam", loss="mse")
    return model


class Agent:
    def __init__(self):
        self.q_eval, self.q_next = network(), network()
        self.count = 0

    def learn(self, states, actions, rewards, following):
        if self.count % 4 == 0:
            self.q_next.set_weights(self.q_eval.get_weights())
        target = self.q_eval(states).numpy()
        later = self.q_next(following).numpy()
        target[np.arange(16), actions] = rewards + 0.9 * later.max(axis=1)
        self.q_eval.train_on_batch(states, target)
        self.count += 1


keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
agent = Agent()
for step in range(10):
    agent.learn(rng.normal(size=(16, 4)), rng.integers(0, 2, 16), rng.normal(size=16), rng.normal(size=(16, 4)))
