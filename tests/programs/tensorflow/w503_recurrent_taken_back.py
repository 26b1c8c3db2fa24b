"""A recurrent Q-network; its targets are made by `predict`, and the sync goes the wrong way."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

rng = np.random.default_rng(0)


class Recurrent:
    def __init__(self):
        layers = [keras.Input((3, 4)), keras.layers.LSTM(8), keras.layers.Dense(2)]
        self.model = keras.Sequential(layers)
        self.optimizer = keras.optimizers.Adam(1e-2)

    def fit(self, states, targets):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.model(states, training=True) - targets))
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))


class Agent:
    def __init__(self):
        self.online, self.target = Recurrent(), Recurrent()
        self.sync()

    def sync(self):
        self.online.model.set_weights(self.target.model.get_weights())  # fires: W503

    def replay(self):
        states, following = rng.normal(size=(2, 8, 3, 4)).astype("float32")
        actions, rewards = rng.integers(0, 2, 8), rng.normal(size=8)
        targets = self.target.model.predict(states, verbose=0)
        best = self.target.model.predict(following, verbose=0).max(axis=1)
        targets[range(8), actions] = rewards + 0.9 * best
        self.online.fit(states, targets)


agent = Agent()
for _ in range(4):
    agent.replay()
    agent.sync()
