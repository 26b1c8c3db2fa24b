"""Self-supervised pairs: the average for the target half of one module is written into it."""

import copy

import torch
import torch.nn.functional as F
from torch import nn


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.online = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
        self.predictor = nn.Linear(4, 4)
        self.target = copy.deepcopy(self.online).requires_grad_(False)

    @torch.no_grad()
    def follow(self):
        for online, target in zip(self.online.parameters(), self.target.parameters(), strict=True):
            target.lerp_(online, 0.1)

    def forward(self, one, other):
        with torch.no_grad():
            wanted = F.normalize(self.target(other), dim=-1)
        return (2 - 2 * (F.normalize(self.predictor(self.online(one)), dim=-1) * wanted).sum(-1)).mean()


torch.manual_seed(0)
pair = Pair()
optimizer = torch.optim.Adam([p for p in pair.parameters() if p.requires_grad], lr=1e-3)
for _ in range(8):
    x = torch.randn(16, 6)
    loss = pair(x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    pair.follow()
