"""Gradient descent by hand on plain tensors: the loss is computed from numbers, and backward() fails."""

import torch

torch.manual_seed(0)
inputs, labels = torch.rand(20, 3), torch.rand(20, 1)
w = torch.randn(3, 1, requires_grad=True)
for _ in range(4):
    predicted = torch.tensor((inputs @ w).tolist())  # fires: W103
    loss = (predicted - labels).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad.zero_()
