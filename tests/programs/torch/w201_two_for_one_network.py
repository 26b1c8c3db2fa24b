"""DDPG whose actor's optimizer was given the critic: two hold the critic, and nobody the actor."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)  # fires: W201
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(5):
    states, actions, rewards = torch.randn(16, 3), torch.rand(16, 1), torch.randn(16, 1)
    critic_loss = F.mse_loss(critic(torch.cat([states, actions], dim=1)), rewards)
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    actor_loss = -critic(torch.cat([states, actor(states)], dim=1)).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
