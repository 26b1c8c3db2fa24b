"""Q-learning with fit and predict: the second network makes the targets and never gets anybody's weights."""
import keras
import numpy as np

keras.utils.set_random_seed(1)


class Agent:
    def __init__(self):
        self.model = self.build()
        self.target_model = self.build()

    def build(self):
        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
        model.compile(loss="mse", optimizer="adam")
        return model

    def replay(self, states, actions, rewards, following):
        q = self.model.predict(states, verbose=0)
        q_next = self.target_model.predict(following, verbose=0)  # fires: W503
        for i, (action, reward) in enumerate(zip(actions, rewards)):
            q[i, action] = reward + 0.9 * np.max(q_next[i])
        self.model.fit(states, q, epochs=1, verbose=0)


agent = Agent()
rng = np.random.default_rng(0)
for update in range(4):
    batch = rng.normal(size=(2, 8, 4)).astype("float32")
    agent.replay(batch[0], rng.integers(0, 2, 8), rng.normal(size=8), batch[1])
