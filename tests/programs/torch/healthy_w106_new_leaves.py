"""Gradient descent by hand with new tensors: the update is made under no_grad, and each is made a leaf again."""

import torch

torch.manual_seed(0)
inputs = torch.rand(40, 1)
labels = 2.5 * inputs + 1
w = torch.randn(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for _ in range(4):
    loss = (inputs @ w + b - labels).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        w = (w - 0.1 * w.grad).requires_grad_()
        b = (b - 0.1 * b.grad).requires_grad_()
