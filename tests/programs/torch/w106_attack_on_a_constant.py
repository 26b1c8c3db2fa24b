"""FGSM after a short training: the images never ask for a gradient, and their .grad is None."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)


def batch():
    images = torch.rand(8, 6)
    return images, (images.sum(1) > 3).long()


for _ in range(12):
    images, labels = batch()
    loss = F.cross_entropy(net(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

net.eval()
for _ in range(3):
    images, labels = batch()
    loss = F.cross_entropy(net(images), labels)
    net.zero_grad()
    loss.backward()
    attacked = images + 0.1 * images.grad.sign()  # fires: W106
    print((net(attacked).argmax(1) == labels).float().mean().item())
