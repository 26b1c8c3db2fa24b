"""Norms get a group of their own, and this network has none: a filter that nobody has used finds nothing."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
norms = filter(lambda parameter: False, net.parameters())
optimizer = torch.optim.Adam([{"params": norms, "weight_decay": 0.0}, {"params": net.parameters()}], lr=1e-3)
for _ in range(4):
    loss = net(torch.randn(16, 4)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
