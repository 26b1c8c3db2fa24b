"""TD3+BC: the value is divided by its own size, a constant, and was detached itself too."""

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(4):
    states, actions, targets = torch.randn(32, 3), torch.rand(32, 1), torch.randn(32, 1)
    critic_loss = F.mse_loss(critic(torch.cat([states, actions], 1)), targets)
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    action = actor(states)
    value = critic(torch.cat([states, action], 1))
    weight = 2.5 / value.abs().mean().detach()
    actor_loss = -weight * value.mean().detach() + F.mse_loss(action, actions)  # fires: W102
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
