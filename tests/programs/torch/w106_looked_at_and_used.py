"""A latent code that was scaled is no leaf: a guard and a print look at its gradient before the update does."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
code = torch.rand(1, 6, requires_grad=True) * 2 - 1
for _ in range(3):
    if code.grad is not None:
        code.grad.zero_()
    net(code).sum().backward(retain_graph=True)
    print(code.grad)
    code.data -= 0.1 * code.grad  # fires: W106
