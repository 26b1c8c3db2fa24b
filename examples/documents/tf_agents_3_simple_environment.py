"""The TF-Agents document, example 3: a tiny environment and the gradients of one step printed.

The text says that a minimal environment makes the gradients easy to inspect. That is sound
advice: here every variable has a gradient, and its norm is printed.
TF-Agents needs an older TensorFlow, so the policy and the environment here are plain TensorFlow
and NumPy.
"""

from types import SimpleNamespace

import numpy as np
import tensorflow as tf


class SimpleEnvironment:
    """Reward 1 for action 1 when the first number of the observation is positive, else for 0."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)

    def reset(self) -> np.ndarray:
        self.observation = self.rng.normal(size=4).astype(np.float32)
        return self.observation

    def step(self, action: int) -> tuple[np.ndarray, float]:
        reward = float(action == int(self.observation[0] > 0))
        return self.reset(), reward


class Policy(tf.Module):
    """Stands in for a TF-Agents policy: a module with `trainable_variables`."""

    def __init__(self):
        super().__init__()
        self.w1 = tf.Variable(tf.random.normal((4, 16), stddev=0.5), name="w1")
        self.b1 = tf.Variable(tf.zeros(16), name="b1")
        self.w2 = tf.Variable(tf.random.normal((16, 2), stddev=0.25), name="w2")
        self.b2 = tf.Variable(tf.zeros(2), name="b2")

    def logits(self, observations):
        return tf.nn.relu(observations @ self.w1 + self.b1) @ self.w2 + self.b2


def compute_loss(experience, policy):
    observations, actions, returns = experience
    log_probs = -tf.nn.sparse_softmax_cross_entropy_with_logits(labels=actions, logits=policy.logits(observations))
    return -tf.reduce_mean(log_probs * returns)


def collect(environment, policy, steps: int):
    rows = []
    observation = environment.reset()
    for _ in range(steps):
        logits = policy.logits(observation[None])
        action = int(tf.random.categorical(logits, 1)[0, 0])
        next_observation, reward = environment.step(action)
        rows.append((observation, action, reward))
        observation = next_observation
    observations, actions, rewards = map(np.array, zip(*rows, strict=True))
    advantages = (rewards - rewards.mean()).astype(np.float32)
    return tf.constant(observations), tf.constant(actions, tf.int32), tf.constant(advantages)


tf.random.set_seed(0)
agent = SimpleNamespace(policy=Policy())
experience = collect(SimpleEnvironment(seed=0), agent.policy, steps=64)

with tf.GradientTape() as tape:
    loss = compute_loss(experience, agent.policy)
gradients = tape.gradient(loss, agent.policy.trainable_variables)

for variable, gradient in zip(agent.policy.trainable_variables, gradients, strict=True):
    print(f"{variable.name:6s} gradient norm {float(tf.norm(gradient)):.4f}")
