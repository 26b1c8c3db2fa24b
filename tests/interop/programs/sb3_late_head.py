"""A policy of Stable-Baselines3 with a head of its own, made after the library has built its optimizer."""

import torch.nn.functional as F
from stable_baselines3 import A2C
from stable_baselines3.common.policies import ActorCriticPolicy
from torch import nn


class Policy(ActorCriticPolicy):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.dreams = nn.Sequential(
            nn.Linear(64, 16),  # the first line that makes a part of it
            nn.ReLU(),
            nn.Linear(16, 4),
        )

    def dream(self, states):
        return self.dreams(self.mlp_extractor.forward_critic(self.extract_features(states)))


class Dreamer(A2C):
    def train(self):
        for rollout in self.rollout_buffer.get(batch_size=None):
            values, log_prob, _ = self.policy.evaluate_actions(rollout.observations, rollout.actions.long().flatten())
            policy_loss = -(rollout.advantages * log_prob).mean()
            value_loss = F.mse_loss(rollout.returns, values.flatten())
            dreams = self.policy.dream(rollout.observations)
            loss = policy_loss + 0.5 * value_loss + F.mse_loss(dreams, rollout.observations)
            self.policy.optimizer.zero_grad()
            loss.backward()
            self.policy.optimizer.step()


Dreamer(Policy, "CartPole-v1", n_steps=8, seed=0, device="cpu").learn(80)
