"""A soft update over get_weights(): the average goes into a list of copies, and nobody sets it."""

import keras
import numpy as np
import tensorflow as tf


class Agent:
    def __init__(self) -> None:
        self.model, self.target_model = self._build(), self._build()
        self.target_model.set_weights(self.model.get_weights())
        self.optimizer = keras.optimizers.Adam(1e-3)

    def _build(self):
        return keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(2)])

    def follow(self, tau: float = 0.05) -> None:
        weights, slow = self.model.get_weights(), self.target_model.get_weights()
        for i in range(len(slow)):
            slow[i] = tau * weights[i] + (1 - tau) * slow[i]  # fires: W503

    def learn(self, states, actions, rewards, following) -> None:
        goal = rewards + 0.9 * tf.reduce_max(self.target_model(following), axis=1)
        with tf.GradientTape() as tape:
            chosen = tf.reduce_sum(self.model(states) * tf.one_hot(actions, 2), axis=1)
            loss = tf.reduce_mean((tf.stop_gradient(goal) - chosen) ** 2)
        variables = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        self.follow()


keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
agent = Agent()
for _ in range(6):
    states, following = rng.normal(size=(2, 16, 4)).astype("float32")
    agent.learn(states, rng.integers(0, 2, 16), rng.normal(size=16).astype("float32"), following)
