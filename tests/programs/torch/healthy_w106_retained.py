"""Weights that an update by hand made anew are told to retain their gradient; it is asked for before it is there."""
import torch
import torch.nn.functional as F

torch.manual_seed(0)
inputs, targets = torch.randn(16, 4), torch.randn(16, 1)
rate = torch.nn.Parameter(torch.full((4, 1), 0.1))
optimizer = torch.optim.Adam([rate], lr=1e-2)
weight = torch.randn(4, 1, requires_grad=True)
for _ in range(4):
    if weight.grad is not None:
        weight.grad = torch.zeros_like(weight)
    optimizer.zero_grad()
    F.mse_loss(inputs @ weight, targets).backward()
    optimizer.step()
    weight = weight.detach() - rate * weight.grad.detach()
    weight.retain_grad()
