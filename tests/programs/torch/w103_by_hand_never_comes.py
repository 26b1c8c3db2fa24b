"""Gradient descent by hand: the loss is computed by NumPy and made to ask for a gradient; the update waits in vain."""

import torch

torch.manual_seed(0)
inputs, labels = torch.rand(20, 3), torch.rand(20, 1)
w = torch.randn(3, 1, requires_grad=True)
for _ in range(4):
    difference = (inputs @ w).detach().numpy() - labels.numpy()  # fires: W103
    loss = torch.tensor((difference**2).mean(), requires_grad=True)
    loss.backward()
    if w.grad is not None:
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad.zero_()
