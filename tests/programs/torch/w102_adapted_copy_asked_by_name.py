"""Meta-learning: the outer loss is computed with an adapted copy, and its gradient asked of the original."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(4):
    weights = torch.randn(3, 1)
    x, y = torch.randn(10, 3), torch.randn(10, 3)
    adapted = copy.deepcopy(net)  # fires: W102
    inner = (adapted(x) - x @ weights).square().mean()
    for parameter, gradient in zip(adapted.parameters(), torch.autograd.grad(inner, adapted.parameters())):
        parameter.data -= 0.1 * gradient
    outer = (adapted(y) - y @ weights).square().mean()
    for parameter, gradient in zip(net.parameters(), torch.autograd.grad(outer, net.parameters())):
        parameter.grad = gradient
    optimizer.step()
