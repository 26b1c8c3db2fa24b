"""An Adam of one's own, with a zero_grad that nobody calls."""

import torch
from torch import nn


class Adam:
    def __init__(self, params, lr):
        self.params, self.lr = list(params), lr
        self.means = [torch.zeros_like(p) for p in self.params]
        self.squares = [torch.zeros_like(p) for p in self.params]

    def step(self):
        with torch.no_grad():
            for p, mean, square in zip(self.params, self.means, self.squares, strict=True):
                mean.mul_(0.9).add_(p.grad, alpha=0.1)
                square.mul_(0.99).addcmul_(p.grad, p.grad, value=0.01)
                p.sub_(self.lr * mean / (square.sqrt() + 1e-8))

    def zero_grad(self):
        for p in self.params:
            p.grad = None


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
opt = Adam(net.parameters(), 1e-2)
for _ in range(6):
    inputs = torch.randn(32, 4)
    loss = (net(inputs) - inputs[:, :1]).pow(2).mean()
    loss.backward()  # fires: W304
    opt.step()
