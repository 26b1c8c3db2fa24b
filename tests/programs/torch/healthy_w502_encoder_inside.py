"""DDPG whose encoder has a `net` of its own: a network and its inner layers are one, and rightly so."""

import copy

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 8), nn.ReLU())

    def forward(self, observation):
        return self.net(observation)


class Agent:
    def __init__(self):
        self.encoder = Encoder()
        self.critic = nn.Linear(8, 1)
        self.critic_target = copy.deepcopy(self.critic)
        self.optimizer = torch.optim.Adam([*self.encoder.parameters(), *self.critic.parameters()], lr=1e-3)

    def update(self, observation, reward, after):
        with torch.no_grad():
            goal = reward + 0.99 * self.critic_target(self.encoder(after))
        loss = nn.functional.mse_loss(self.critic(self.encoder(observation)), goal)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        with torch.no_grad():
            for online, target in zip(self.critic.parameters(), self.critic_target.parameters()):
                target.lerp_(online, 0.01)


torch.manual_seed(0)
agent = Agent()
for _ in range(4):
    agent.update(torch.randn(16, 6), torch.randn(16, 1), torch.randn(16, 6))
