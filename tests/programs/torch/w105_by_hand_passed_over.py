"""An update by hand passes over what has no gradient: a layer that forward() forgets."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.middle = nn.Linear(8, 8)  # fires: W105
        self.last = nn.Linear(8, 1)

    def forward(self, x):
        return self.last(torch.relu(self.first(x)))


torch.manual_seed(0)
net = Net()
for _ in range(4):
    inputs = torch.randn(32, 4)
    loss = (net(inputs) - inputs[:, :1]).pow(2).mean()
    net.zero_grad()
    loss.backward()
    with torch.no_grad():
        for p in net.parameters():
            if p.grad is not None:
                p -= 0.1 * p.grad
