"""IQL: the value network learns from a copy of the critic that never follows, and the critic from the value network."""

import copy

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
value = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
target = copy.deepcopy(critic).requires_grad_(False)  # fires: W503
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
value_optimizer = torch.optim.Adam(value.parameters(), lr=1e-3)
for _ in range(6):
    states, actions, rewards = torch.randn(16, 4), torch.rand(16, 1), torch.randn(16, 1)
    with torch.no_grad():
        following = value(torch.randn(16, 4))
    above = target(torch.cat([states, actions], 1)) - value(states)
    value_loss = (torch.abs(0.7 - (above < 0).float()) * above**2).mean()
    value_optimizer.zero_grad()
    value_loss.backward()
    value_optimizer.step()
    critic_loss = F.mse_loss(critic(torch.cat([states, actions], 1)), rewards + 0.99 * following)
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
