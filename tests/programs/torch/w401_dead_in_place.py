"""A rectifier in place behind a layer whose biases keep all of its units below zero."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Linear(4, 8),
    nn.Linear(8, 8),
    nn.ReLU(inplace=True),
    nn.Linear(8, 1),
)
nn.init.constant_(net[1].bias, -100.0)
optimizer = torch.optim.SGD(net.parameters(), 0.01)

for _ in range(5):
    inputs = torch.randn(16, 4)
    loss = (net(inputs) - inputs.sum(1, keepdim=True)).square().mean()  # fires: W401
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
