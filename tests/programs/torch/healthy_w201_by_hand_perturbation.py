"""A perturbation is sought by hand: the network that it is to deceive gets gradients, and stays as it is."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
inputs, labels = torch.rand(10, 8), torch.randint(0, 3, (10,))
delta = torch.zeros_like(inputs, requires_grad=True)
for _ in range(6):
    loss = nn.functional.cross_entropy(net(inputs + delta), labels)
    loss.backward()
    delta.data = (delta + 0.02 * delta.grad.sign()).clamp(-0.1, 0.1)
    delta.grad.zero_()
