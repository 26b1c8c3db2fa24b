"""A slow critic only adds a term to the loss, and the average goes from it into the trained one."""

import copy

import torch
import torch.nn.functional as F
from torch import nn


def average(target: nn.Module, source: nn.Module, share: float) -> None:
    for kept, new in zip(target.parameters(), source.parameters()):
        kept.data.mul_(1 - share).add_(new.data, alpha=share)


torch.manual_seed(0)
value = nn.Sequential(nn.Linear(4, 16), nn.ELU(), nn.Linear(16, 1))
slow = copy.deepcopy(value).requires_grad_(False)
optimizer = torch.optim.Adam(value.parameters(), lr=1e-3)
for _ in range(6):
    states, returns = torch.randn(32, 4), torch.randn(32, 1)
    said = value(states)
    loss = F.mse_loss(said, returns) + F.mse_loss(said, slow(states))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average(value, slow, 0.02)  # fires: W503
