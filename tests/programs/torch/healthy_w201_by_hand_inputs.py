"""An update by hand of the weights alone: the inputs ask for a gradient too, and are data."""

import torch

torch.manual_seed(0)
inputs = torch.randn(60, 2, requires_grad=True)
labels = (inputs @ torch.tensor([[2.0], [-3.4]]) + 4.2).detach()
w = torch.zeros(2, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for _ in range(5):
    loss = (inputs @ w + b - labels).pow(2).mean()
    loss.backward()
    for param in (w, b):
        param.data = param.data - 0.03 * param.grad
        param.grad = None
