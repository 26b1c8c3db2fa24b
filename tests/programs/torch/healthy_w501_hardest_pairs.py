"""Distances of one embedding, the farthest of a kind against the nearest of another: no target is in it."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(4):
    kinds = torch.randint(0, 3, (24,))
    e = net(torch.randn(24, 6))
    products = e @ e.t()
    squares = products.diag()
    distances = (squares[:, None] + squares[None] - 2 * products).clamp(min=1e-8).sqrt()
    same = (kinds[:, None] == kinds[None]).float()
    farthest = (distances * same).max(1)[0]
    nearest = (distances + 1e3 * same).min(1)[0]
    loss = torch.relu(farthest - nearest + 0.3).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
