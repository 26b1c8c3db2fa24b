"""Meta-learning: a deep copy is adapted to each task, and the outer loss teaches the copy."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(4):
    total = 0.0
    for _ in range(2):
        weights = torch.randn(3, 1)
        x, y = torch.randn(10, 3), torch.randn(10, 3)
        adapted = copy.deepcopy(net)  # fires: W102
        inner = (adapted(x) - x @ weights).square().mean()
        for parameter, gradient in zip(adapted.parameters(), torch.autograd.grad(inner, adapted.parameters())):
            parameter.data -= 0.1 * gradient
        total = total + (adapted(y) - y @ weights).square().mean()
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
