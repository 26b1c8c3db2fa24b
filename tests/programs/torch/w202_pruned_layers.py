"""Pruned layers take the place of the old ones, with a part of their weights; the optimizer holds the old ones."""

import torch
from torch import nn


def shrunk(layer, rows, columns):
    new = nn.Linear(len(columns), len(rows))  # fires: W202
    new.weight.data.copy_(layer.weight.data[rows][:, columns])
    new.bias.data.copy_(layer.bias.data[rows])
    return new


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
best = model[0].weight.detach().abs().sum(dim=1).topk(8).indices
model[0] = shrunk(model[0], best, torch.arange(4))
model[2] = shrunk(model[2], torch.arange(2), best)
for _ in range(3):
    loss = (model(torch.randn(16, 4)) - torch.randn(16, 2)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
