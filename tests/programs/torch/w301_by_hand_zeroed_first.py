"""Gradient descent by hand, in one loop: each gradient is set to zero before it is subtracted."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
inputs = torch.randn(32, 4)
for _ in range(4):
    loss = (net(inputs) - inputs[:, :1]).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        for p in net.parameters():
            p.grad.zero_()  # fires: W301
            p -= 0.1 * p.grad
