"""Meta-learning of first order: what the adapted copy learns is written into the gradient of the original."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(4):
    optimizer.zero_grad()
    for _ in range(2):
        weights = torch.randn(3, 1)
        x, y = torch.randn(10, 3), torch.randn(10, 3)
        adapted = copy.deepcopy(net)
        inner = (adapted(x) - x @ weights).square().mean()
        for parameter, gradient in zip(adapted.parameters(), torch.autograd.grad(inner, adapted.parameters())):
            parameter.data -= 0.1 * gradient
        (adapted(y) - y @ weights).square().mean().backward()
        for parameter, copied in zip(net.parameters(), adapted.parameters()):
            parameter.grad = copied.grad if parameter.grad is None else parameter.grad + copied.grad
    optimizer.step()
