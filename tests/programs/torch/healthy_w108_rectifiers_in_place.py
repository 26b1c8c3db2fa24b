"""Residual blocks with rectifiers and a dropout in place, as in the vision models: nothing that is needed is lost."""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True))
        self.second = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8), nn.Dropout(0.1, inplace=True))
        self.relu = nn.ReLU6(inplace=True)

    def forward(self, x):
        out = self.second(self.first(x))
        out += x
        return self.relu(out)


torch.manual_seed(0)
stem = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(inplace=True))
net = nn.Sequential(stem, Block(), Block(), nn.Flatten(), nn.Linear(512, 2))
optimizer = torch.optim.SGD(net.parameters(), 0.05)
for _ in range(5):
    images, labels = torch.randn(8, 3, 8, 8), torch.randint(0, 2, (8,))
    loss = nn.functional.cross_entropy(net(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
net.eval()
with torch.no_grad():
    net(torch.randn(2, 3, 8, 8))
