"""Twin critics: a helper gives each its gradients and steps; the second is handed those of the first."""

import torch
from torch import nn
import torch.nn.functional as F


def apply(optimizer, net, grads):
    for parameter, grad in zip(net.parameters(), grads):
        parameter.grad = grad
    optimizer.step()
    optimizer.zero_grad()


def critic():
    return nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))


torch.manual_seed(0)
one, two = critic(), critic()
optimizers = torch.optim.Adam(one.parameters(), lr=1e-3), torch.optim.Adam(two.parameters(), lr=1e-3)
for _ in range(6):
    states, goals = torch.randn(16, 4), torch.randn(16, 1)
    first = torch.autograd.grad(F.mse_loss(one(states), goals), list(one.parameters()))
    second = torch.autograd.grad(F.mse_loss(two(states), goals), list(two.parameters()))
    apply(optimizers[0], one, first)
    apply(optimizers[1], two, first)  # fires: W204
