"""Gradients are taken out of .grad into sums of one's own, and cleared; the sums are applied by hand."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
for _ in range(4):
    sums = [torch.zeros_like(p) for p in net.parameters()]
    for _ in range(3):
        inputs = torch.randn(8, 4)
        (net(inputs) - inputs[:, :1]).pow(2).mean().backward()
        for total, p in zip(sums, net.parameters(), strict=True):
            total += p.grad
            p.grad.zero_()
    with torch.no_grad():
        for total, p in zip(sums, net.parameters(), strict=True):
            p -= 0.1 * total / 3
