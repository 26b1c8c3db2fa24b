"""TD3 that never syncs its critic's target: it is copied once when it is made, and where a checkpoint is read."""

import copy

import torch
from torch import nn
from torch.nn import functional as F


class Critic(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
        self.second = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, states: torch.Tensor, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        both = torch.cat([states, actions], dim=1)
        return self.first(both), self.second(both)


class Agent:
    def __init__(self) -> None:
        self.critic = Critic()
        self.critic_target = copy.deepcopy(self.critic)  # fires: W503
        self.optimizer = torch.optim.Adam(self.critic.parameters(), lr=1e-3)

    def train(self) -> None:
        states, after, actions, rewards = torch.randn(16, 3), torch.randn(16, 3), torch.rand(16, 1), torch.randn(16, 1)
        with torch.no_grad():
            one, other = self.critic_target(after, actions)
            goal = rewards + 0.99 * torch.min(one, other)
        first, second = self.critic(states, actions)
        loss = F.mse_loss(first, goal) + F.mse_loss(second, goal)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def load(self, filename: str) -> None:
        self.critic.load_state_dict(torch.load(filename))
        self.critic_target = copy.deepcopy(self.critic)


torch.manual_seed(0)
agent = Agent()
for _ in range(8):
    agent.train()
