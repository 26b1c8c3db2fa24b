"""Two losses, and an update by hand: what the first one left is cleared before the second adds to it."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
for _ in range(5):
    inputs = torch.randn(16, 4)
    outputs = net(inputs)
    first = (outputs[:, 0] - inputs[:, 0]).pow(2).mean()
    second = (outputs[:, 1] - inputs[:, 1]).pow(2).mean()
    net.zero_grad()
    first.backward(retain_graph=True)
    net.zero_grad()  # fires: W301
    second.backward()
    for p in net.parameters():
        p.data -= 0.1 * p.grad
