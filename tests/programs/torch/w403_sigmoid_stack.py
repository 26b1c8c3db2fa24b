"""Twelve sigmoid layers: the first ones get a billionth of the gradient."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Deep(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, width)] + [nn.Linear(width, width) for _ in range(depth)])
        self.out = nn.Linear(width, 2)

    def forward(self, x):
        for layer in self.layers:
            x = torch.sigmoid(layer(x))  # fires: W403
        return self.out(x)


model = Deep(16, 11)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
inputs, targets = torch.randn(32, 4), torch.randn(32, 2)
for update in range(4):
    optimizer.zero_grad()
    F.mse_loss(model(inputs), targets).backward()
    optimizer.step()
