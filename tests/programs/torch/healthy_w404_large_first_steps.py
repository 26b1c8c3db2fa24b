"""Adam with a large learning rate: the loss rises at first, and comes back."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
for _ in range(30):
    inputs = torch.randn(32, 4)
    targets = torch.stack([inputs.sum(1), inputs[:, 0] * inputs[:, 1]], dim=1)
    loss = nn.functional.mse_loss(net(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
