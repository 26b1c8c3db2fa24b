"""PPO with a clipped value loss: the rollout kept its values as a column, and the network returns a row."""

import torch
from torch import nn


def huber(error):
    return torch.where(error.abs() < 10.0, 0.5 * error**2, 10.0 * (error.abs() - 5.0))


def value_loss(values, returns, before):
    clipped = before + (values - before).clamp(-0.2, 0.2)  # fires: W504
    return torch.max(huber(returns - values), huber(returns - clipped)).mean()


def rollout(critic):
    states = torch.randn(16, 4)
    with torch.no_grad():
        before = critic(states)[:, 0].unsqueeze(-1)
    return states, torch.randn(16, 1), before


torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(4):
    states, returns, before = rollout(critic)
    loss = value_loss(critic(states)[:, 0], returns, before)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
