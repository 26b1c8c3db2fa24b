"""Learned weights of the tasks live in the loss, and only the model went to the optimizer."""

import torch
from torch import nn


class Weighing(nn.Module):
    def __init__(self):
        super().__init__()
        self.spread = nn.Parameter(torch.zeros(2))

    def forward(self, losses):
        return sum(torch.exp(-self.spread[i]) * loss + self.spread[i] for i, loss in enumerate(losses))


torch.manual_seed(0)
model, weighing = nn.Linear(4, 2), Weighing()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  # fires: W201
for _ in range(4):
    x = torch.randn(16, 4)
    out = model(x)
    loss = weighing([(out[:, 0] - x[:, 0]).pow(2).mean(), (out[:, 1] - x[:, 1]).abs().mean()])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
