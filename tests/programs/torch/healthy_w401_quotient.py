"""Quotients that are 1: of probabilities to those of before the update, and a weight over its own largest entry."""

import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3), nn.Softmax(-1))
scale = nn.Parameter(torch.ones(1))
optimizer = torch.optim.Adam([*policy.parameters(), scale], lr=1e-3)
states, advantages = torch.randn(32, 4), torch.randn(32, 1)
actions = torch.randint(0, 3, (32, 1))
for _ in range(4):
    probs = policy(states)
    taken = probs.gather(1, actions)
    ratio = taken / taken.detach()
    weight = scale / scale.abs().max().clamp(min=1e-6)
    loss = -(weight * ratio * advantages).mean() + 0.1 * (scale - 2).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
