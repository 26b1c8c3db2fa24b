"""A deep tanh network in a list of layers, with first weights that are far too small."""

import torch
from torch import nn

torch.manual_seed(1)


def make(depth):
    layers = []
    width = 4
    for _ in range(depth):
        layers += [nn.Linear(width, 16), nn.Tanh()]  # fires: W403
        nn.init.normal_(layers[-2].weight, std=0.02)
        width = 16
    return nn.Sequential(*layers, nn.Linear(16, 1))


net = make(8)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for update in range(4):
    states = torch.randn(32, 4)
    loss = (net(states) - states[:, :1]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
