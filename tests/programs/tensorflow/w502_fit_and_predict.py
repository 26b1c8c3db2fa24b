"""Q-learning one step at a time with fit; the network that predicts the target is the one that is fitted."""
import keras
import numpy as np

keras.utils.set_random_seed(1)


class Agent:
    def __init__(self):
        self.q_net = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
        self.q_net.compile(loss="mse", optimizer="adam")
        self.target_net = self.q_net  # fires: W502

    def learn(self, state, action, reward, following):
        target = reward + 0.9 * np.amax(self.target_net.predict(following, verbose=0)[0])
        targets = self.q_net.predict(state, verbose=0)
        targets[0][action] = target
        self.q_net.fit(state, targets, epochs=1, verbose=0)


agent = Agent()
rng = np.random.default_rng(0)
for _ in range(4):
    seen = rng.normal(size=(2, 1, 3)).astype("float32")
    agent.learn(seen[0], int(rng.integers(2)), float(rng.normal()), seen[1])
