"""Lookahead: the trained weights are drawn back to slow ones that follow them; what the slow ones say regularises."""

import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ELU(), nn.Linear(16, 1))
slow = copy.deepcopy(net).requires_grad_(False)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(8):
    x, y = torch.randn(32, 4), torch.randn(32, 1)
    said = net(x)
    loss = F.mse_loss(said, y) + 0.1 * F.mse_loss(said, slow(x))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 2:
        with torch.no_grad():
            for fast, kept in zip(net.parameters(), slow.parameters(), strict=True):
                kept.lerp_(fast, 0.5)
                fast.lerp_(kept, 0.5)
