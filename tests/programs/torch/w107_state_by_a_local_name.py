"""A layer takes its state by a local name, computes the next one, and puts it away with its history."""

import contextlib

import torch
from torch import nn


class Remembers(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.GRUCell(4, 8), nn.Linear(8, 1)
        self.state = None

    def forward(self, x):
        state = torch.zeros(16, 8) if self.state is None else self.state
        state = self.cell(x, state)
        self.state = state  # fires: W107
        return self.head(state)


torch.manual_seed(0)
net = Remembers()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
with contextlib.suppress(RuntimeError):
    for _ in range(4):
        loss = net(torch.randn(16, 4)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
