"""The actor's loss is followed by a step of the critic's optimizer."""

import torch
from torch import nn


class Agent:
    def __init__(self) -> None:
        self.actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
        self.critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
        self.optimizers = {
            "actor": torch.optim.Adam(self.actor.parameters(), lr=1e-3),
            "critic": torch.optim.Adam(self.critic.parameters(), lr=1e-3),
        }

    def update(self, states: torch.Tensor, actions: torch.Tensor, goals: torch.Tensor) -> None:
        self.optimizers["critic"].zero_grad()
        nn.functional.mse_loss(self.critic(torch.cat([states, actions], 1)), goals).backward()
        self.optimizers["critic"].step()
        actor_loss = -self.critic(torch.cat([states, self.actor(states)], 1)).mean()
        self.optimizers["actor"].zero_grad()
        actor_loss.backward()
        self.optimizers["critic"].step()  # fires: W204


torch.manual_seed(1)
agent = Agent()
for _ in range(4):
    agent.update(torch.randn(8, 3), torch.rand(8, 1), torch.randn(8, 1))
