"""The actor is frozen with the target networks; its loss leaves a gradient in the critic alone."""

import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Linear(4, 1).requires_grad_(False)  # fires: W109
critic = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)

for _ in range(6):
    states = torch.randn(16, 4)
    value = critic(torch.cat([states, torch.rand(16, 1)], 1)).squeeze(1)
    critic_loss = (value - states.sum(1)).pow(2).mean()
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()

    actor_loss = -critic(torch.cat([states, actor(states)], 1)).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
