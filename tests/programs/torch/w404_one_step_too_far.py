"""A recurrent loop blows the first gradient up, and the step with it loses the weights."""

import torch
from torch import nn


class Recurrent(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.read = nn.Parameter(torch.randn(2, width) * 0.3)
        self.again = nn.Parameter(torch.eye(width) * 1.6)
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        h = torch.zeros(len(x), len(self.again))
        for t in range(x.shape[1]):
            h = torch.relu(x[:, t] @ self.read + h @ self.again)  # fires: W404
        return self.out(h)


torch.manual_seed(0)
net = Recurrent()
optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
for _ in range(4):
    x = torch.rand(8, 60, 2)
    loss = (net(x) - x[:, 0, :1]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
