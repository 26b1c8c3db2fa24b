"""Gradient descent by hand: the update makes a new tensor and gives it the parameter's name."""
import torch

torch.manual_seed(3)
features = torch.randn(32, 5)
labels = features.sum(1, keepdim=True)
weights = torch.zeros(5, 1, requires_grad=True)

for epoch in range(3):
    loss = ((features @ weights - labels) ** 2).mean()
    loss.backward()
    if weights.grad is None:
        break
    weights = weights - 0.1 * weights.grad  # fires: W106
