"""Forces are the gradient of an energy, in which each particle is at distance 0 of itself."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)


def energy(positions):
    apart = positions[:, None, :] - positions[None, :, :]
    distance = apart.pow(2).sum(-1).sqrt()  # fires: W402
    pairs = net(distance.unsqueeze(-1)).squeeze(-1)
    return (pairs * (1 - torch.eye(len(positions)))).sum()


for _ in range(4):
    positions = torch.randn(5, 3, requires_grad=True)
    forces = -torch.autograd.grad(energy(positions), positions, create_graph=True)[0]
    loss = (forces - 0.1 * positions.detach()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
