"""An update by hand is given the weights, and not the bias."""

import torch

torch.manual_seed(0)
inputs = torch.randn(60, 2)
labels = inputs @ torch.tensor([[2.0], [-3.4]]) + 4.2
w = torch.zeros(2, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)


def sgd(params, lr):
    with torch.no_grad():
        for param in params:
            param -= lr * param.grad
            param.grad.zero_()


for _ in range(5):
    loss = (inputs @ w + b - labels).pow(2).mean()
    loss.backward()
    sgd([w], 0.03)  # fires: W201
