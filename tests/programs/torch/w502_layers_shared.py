"""BYOL: the target encoder is given the online encoder's layers."""

import torch
from torch import nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))

    def forward(self, x):
        return self.layers(x)


class Byol(nn.Module):
    def __init__(self):
        super().__init__()
        self.online, self.target, self.predictor = Encoder(), Encoder(), nn.Linear(4, 4)
        self.target.layers = self.online.layers  # fires: W502

    @torch.no_grad()
    def follow(self):
        for kept, given in zip(self.target.parameters(), self.online.parameters()):
            kept.data = 0.99 * kept.data + 0.01 * given.data

    def forward(self, one, two):
        with torch.no_grad():
            goal = self.target(two)
        return -F.cosine_similarity(self.predictor(self.online(one)), goal).mean()


torch.manual_seed(0)
net = Byol()
optimizer = torch.optim.Adam([*net.online.parameters(), *net.predictor.parameters()], lr=1e-3)
for _ in range(5):
    x = torch.randn(16, 8)
    loss = net(x + 0.1 * torch.randn_like(x), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    net.follow()
