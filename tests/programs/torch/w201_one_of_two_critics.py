"""Soft actor-critic: the second critic is left out of the critics' optimizer; the actor's loss comes first."""

import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
first = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))
second = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(first.parameters(), lr=1e-3)  # fires: W201
for _ in range(4):
    states, actions, returns = torch.randn(16, 4), torch.randn(16, 1), torch.randn(16, 1)
    mine = torch.cat([states, actor(states)], dim=1)
    taken = torch.cat([states, actions], dim=1)
    actor_loss = -torch.min(first(mine), second(mine)).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()

    critic_optimizer.zero_grad()
    loss = nn.functional.mse_loss(first(taken), returns) + nn.functional.mse_loss(second(taken), returns)
    loss.backward()
    critic_optimizer.step()
