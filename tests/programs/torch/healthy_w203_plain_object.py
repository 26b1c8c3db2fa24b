"""A plain object holds a network that the model uses as it is: frozen, and no layer of the model's own."""

import torch
from torch import nn


class Features:
    def __init__(self, width):
        self.net = nn.Linear(4, width).requires_grad_(False)

    def __call__(self, x):
        return torch.relu(self.net(x))


class Regressor(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.features = Features(width)
        self.last = nn.Linear(width, 1)

    def forward(self, x):
        return self.last(self.features(x))


torch.manual_seed(0)
regressor = Regressor()
optimizer = torch.optim.Adam(regressor.parameters(), lr=1e-3)
for _ in range(4):
    x = torch.randn(16, 4)
    loss = (regressor(x) - x[:, :1]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
