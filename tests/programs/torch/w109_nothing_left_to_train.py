"""Everything is frozen, the new head as well, and the optimizer is given what is not."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 4))
net[2] = nn.Linear(8, 2)
for parameter in net.parameters():
    parameter.requires_grad = False  # fires: W109

optimizer = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], 0.1)
for _ in range(4):
    loss = net(torch.randn(16, 3)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
