"""A residual gate is shifted in place after the sigmoid, whose backward needs its output."""
import torch
from torch import nn


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.body = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        gate = torch.sigmoid(self.gate(x))
        gate += 0.5  # fires: W108
        return x + gate * self.body(x)


torch.manual_seed(0)
net = Gated()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(2):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
