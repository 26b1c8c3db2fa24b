"""A deep network with a sigmoid that is written out by hand."""

import torch
from torch import nn


class Squash(nn.Module):
    def forward(self, x):
        return 1 / (1 + torch.exp(-x))  # fires: W403


torch.manual_seed(0)
layers = [nn.Linear(16, 32), Squash()]
for _ in range(8):
    layers += [nn.Linear(32, 32), Squash()]
net = nn.Sequential(*layers, nn.Linear(32, 4))
optimizer = torch.optim.SGD(net.parameters(), lr=1e-2)
for _ in range(5):
    loss = nn.functional.cross_entropy(net(torch.randn(32, 16)), torch.randint(0, 4, (32,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
