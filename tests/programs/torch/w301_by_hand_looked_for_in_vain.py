"""Gradient descent by hand: the gradients are cleared first, and the update passes over what has none."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
inputs = torch.randn(32, 4)
for _ in range(4):
    loss = (net(inputs) - inputs[:, :1]).pow(2).mean()
    loss.backward()
    net.zero_grad()  # fires: W301
    for p in net.parameters():
        if p.grad is not None:
            p.data.sub_(0.1 * p.grad)
