"""DDPG with one optimizer for actor and critic: the actor's loss inflates the critic."""

import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-3)  # fires: W205


def q_of(states: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
    return critic(torch.cat([states, actions], dim=1))


for _ in range(3):
    states, actions, returns = torch.randn(16, 3), torch.rand(16, 1), torch.randn(16, 1)
    critic_loss = (q_of(states, actions) - returns).pow(2).mean()
    optimizer.zero_grad()
    critic_loss.backward()
    optimizer.step()
    actor_loss = -q_of(states, actor(states)).mean()
    optimizer.zero_grad()
    actor_loss.backward()
    optimizer.step()
