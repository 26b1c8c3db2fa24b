"""Gradients that are looked at and not applied: a check before training, and steps that a short run does not reach."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
scorer = nn.Linear(3, 1)
unused = torch.optim.SGD(scorer.parameters(), lr=1e-3)
scorer(torch.randn(4, 3)).mean().backward()
for batch in range(6):
    inputs = torch.randn(16, 3)
    loss = nn.functional.mse_loss(net(inputs), inputs.sum(dim=1, keepdim=True))
    (loss / 100).backward()
    if batch % 100 == 99:
        optimizer.step()
        optimizer.zero_grad()
