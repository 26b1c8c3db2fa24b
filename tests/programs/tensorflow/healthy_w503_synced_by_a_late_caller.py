"""Q-learning with fit and predict: the sync is called by a method that a longer run would reach."""
import keras
import numpy as np

keras.utils.set_random_seed(1)


def build():
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
    model.compile(loss="mse", optimizer="adam")
    return model


class Agent:
    def __init__(self):
        self.q_eval, self.q_target = build(), build()

    def replay(self, states, actions, rewards, following):
        q = self.q_eval.predict(states, verbose=0)
        q_next = self.q_target.predict(following, verbose=0)
        q[range(8), actions] = rewards + 0.9 * q_next.max(axis=1)
        self.q_eval.fit(states, q, epochs=1, verbose=0)

    def sync(self):
        self.q_target.set_weights(self.q_eval.get_weights())

    def start_again(self):
        self.updates = 0
        self.sync()


agent = Agent()
rng = np.random.default_rng(0)
for update in range(4):
    if update == 1000:
        agent.start_again()
    batch = rng.normal(size=(2, 8, 4)).astype("float32")
    agent.replay(batch[0], rng.integers(0, 2, 8), rng.normal(size=8), batch[1])
