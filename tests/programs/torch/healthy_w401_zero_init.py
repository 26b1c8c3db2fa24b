"""Zeros that are right: a residual branch and a low-rank adapter begin at zero, some units are off, a hinge is met."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.outer = nn.Linear(8, 32), nn.Linear(32, 8)
        nn.init.zeros_(self.outer.weight)

    def forward(self, x):
        return x + self.outer(F.relu(self.inner(x)))


class Adapter(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Parameter(torch.randn(8, 2))
        self.up = nn.Parameter(torch.zeros(2, 8))

    def forward(self, x):
        return x + x @ self.down @ self.up


net = nn.Sequential(Block(), Adapter(), nn.Linear(8, 1))
embedding = nn.Embedding(10, 8)
optimizer = torch.optim.Adam([*net.parameters(), *embedding.parameters()], lr=1e-2)
for update in range(4):
    score = net(embedding(torch.randint(0, 3, (16,))))
    loss = F.mse_loss(score, torch.ones(16, 1)) + F.relu(score.abs() - 100.0).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
