"""A loss on forces alone: they are the slope of an energy, in which the network's last bias has no part."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(4):
    positions = torch.randn(16, 3, requires_grad=True)
    forces = -torch.autograd.grad(net(positions).sum(), positions, create_graph=True)[0]
    loss = (forces + positions.detach()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
