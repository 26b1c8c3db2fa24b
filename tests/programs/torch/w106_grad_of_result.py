"""Gradient ascent on an input: .grad is read from the scaled image, which is no leaf."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
image = torch.rand(1, 6, requires_grad=True) * 2 - 1
for step in range(3):
    score = net(image).sum()
    score.backward(retain_graph=True)
    if image.grad is not None:  # fires: W106
        image = image + 0.1 * image.grad.sign()
