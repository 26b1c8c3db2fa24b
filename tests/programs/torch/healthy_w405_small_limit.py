"""Clipping at work: a usual limit with SGD, a small one with Adam, which divides the scale out, and none at all."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


def train(net, optimizer, limit):
    for update in range(4):
        states = 20 * torch.randn(32, 4)
        loss = F.mse_loss(net(states), states[:, :1])
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(net.parameters(), limit)
        assert norm > 0
        optimizer.step()


first, second, third = (nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1)) for _ in range(3))
train(first, torch.optim.SGD(first.parameters(), lr=0.01), 0.5)
train(second, torch.optim.Adam(second.parameters(), lr=1e-3), 1e-4)
train(third, torch.optim.SGD(third.parameters(), lr=0.001), float("inf"))
