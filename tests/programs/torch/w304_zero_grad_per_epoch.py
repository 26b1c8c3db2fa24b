"""The gradients are cleared once per epoch, and applied in every batch."""

import torch
from torch import nn

torch.manual_seed(0)
features, labels = torch.randn(64, 6), torch.randint(0, 3, (64,))
model = nn.Sequential(nn.Linear(6, 20), nn.ReLU(), nn.Linear(20, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _epoch in range(2):
    optimizer.zero_grad()
    for start in range(0, 64, 16):
        batch = slice(start, start + 16)
        loss = nn.functional.cross_entropy(model(features[batch]), labels[batch])
        loss.backward()  # fires: W304
        optimizer.step()
