"""Inputs of a usual size for a hidden layer of sigmoids: its units are not at the flat end."""

import torch
from torch import nn

torch.manual_seed(0)
hidden, head = nn.Linear(3, 8), nn.Linear(8, 1)
with torch.no_grad():
    hidden.weight.fill_(1.0)
optimizer = torch.optim.SGD([*hidden.parameters(), *head.parameters()], lr=0.01)
for _ in range(6):
    readings = 1.0 + 0.02 * torch.rand(16, 3)
    features = torch.sigmoid(hidden(readings))
    loss = ((head(features)[:, 0] - readings.sum(1)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
