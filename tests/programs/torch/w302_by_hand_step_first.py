"""An SGD of one's own: its step passes over what has no gradient, and comes before the backward pass."""

import torch
from torch import nn


class SGD:
    def __init__(self, params, lr):
        self.params, self.lr = list(params), lr

    def step(self):
        with torch.no_grad():
            for p in self.params:
                if p.grad is not None:
                    p.add_(p.grad, alpha=-self.lr)

    def zero_grad(self):
        for p in self.params:
            p.grad = None


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
sgd = SGD(net.parameters(), 0.05)
inputs = torch.randn(32, 4)
for _ in range(4):
    loss = (net(inputs) - inputs[:, :1]).pow(2).mean()
    sgd.zero_grad()
    sgd.step()  # fires: W302
    loss.backward()
