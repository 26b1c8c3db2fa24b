"""DDPG whose two losses are summed: one pass leaves the actor's loss in the critic, whose optimizer applies it."""

import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(3):
    states, actions, returns = torch.randn(16, 3), torch.rand(16, 1), torch.randn(16, 1)
    critic_loss = (critic(torch.cat([states, actions], dim=1)) - returns).pow(2).mean()
    actor_loss = -critic(torch.cat([states, actor(states)], dim=1)).mean()
    actor_optimizer.zero_grad()
    critic_optimizer.zero_grad()
    (actor_loss + critic_loss).backward()  # fires: W205
    actor_optimizer.step()
    critic_optimizer.step()
