"""The class above builds layers and an optimizer; the one below builds other layers, and keeps the optimizer."""

import torch
from torch import nn


class Plain(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.build(4, width)
        self.optimizer = torch.optim.Adam(self.parameters(), lr=1e-2)

    def build(self, inputs, width):
        self.body = nn.Linear(inputs, width)
        self.head = nn.Linear(width, 1)

    def update(self, x, y):
        loss = (self.head(self.body(x).tanh()) - y).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


class WithMemory(Plain):
    def __init__(self, width):
        super().__init__(width)
        self.build(6, width)  # fires: W202


torch.manual_seed(0)
net = WithMemory(16)
for _ in range(5):
    net.update(torch.randn(16, 6), torch.randn(16, 1))
