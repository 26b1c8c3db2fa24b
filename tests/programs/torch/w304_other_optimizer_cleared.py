"""Both updates clear the actor; the critic's gradients pile up."""

import torch
from torch import nn


class Agent:
    def __init__(self) -> None:
        self.actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
        self.critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
        self.actor_opt = torch.optim.Adam(self.actor.parameters())
        self.critic_opt = torch.optim.Adam(self.critic.parameters())

    def update(self, states: torch.Tensor, actions: torch.Tensor, goals: torch.Tensor) -> None:
        critic_loss = (self.critic(torch.cat([states, actions], 1)) - goals).pow(2).mean()
        self.actor_opt.zero_grad()  # fires: W304
        critic_loss.backward()
        self.critic_opt.step()
        actor_loss = -self.critic(torch.cat([states, self.actor(states)], 1)).mean()
        self.actor_opt.zero_grad()
        actor_loss.backward()
        self.actor_opt.step()


torch.manual_seed(1)
agent = Agent()
for _ in range(4):
    agent.update(torch.randn(8, 3), torch.rand(8, 1), torch.randn(8, 1))
