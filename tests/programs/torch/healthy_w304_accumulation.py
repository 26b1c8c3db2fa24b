"""Gradients that add up on purpose: over k batches, over two losses, in a closure; and a hand-written step."""

import torch
from torch import nn

torch.manual_seed(2)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for batch in range(12):
    (net(torch.randn(4, 3)).pow(2).mean() / 3).backward()
    if (batch + 1) % 3 == 0:
        optimizer.step()
        net.zero_grad(set_to_none=False)
weight = torch.randn(3, 1, requires_grad=True)
for _ in range(3):
    (torch.randn(4, 3) @ weight).pow(2).mean().backward()
    (0.01 * weight.abs().sum()).backward()
    with torch.no_grad():
        weight -= 0.1 * weight.grad
        weight.grad.zero_()
