"""Gradient descent by hand that gives the loop variable a new value, and the parameters none."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
inputs = torch.randn(64, 3)
labels = inputs.pow(2).sum(dim=1, keepdim=True)
for _ in range(4):
    loss = nn.functional.mse_loss(net(inputs), labels)
    net.zero_grad()
    loss.backward()
    with torch.no_grad():
        for p in net.parameters():
            p = p - 0.05 * p.grad  # fires: W206
