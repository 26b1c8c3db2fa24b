"""The target is given the memory of the online network, not its numbers."""

import torch
from torch import nn
import torch.nn.functional as F


def sync(target, online):
    for kept, given in zip(target.parameters(), online.parameters()):
        kept.data = given.data  # fires: W502


torch.manual_seed(0)
online, target = (nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3)) for _ in range(2))
sync(target, online)
optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
for update in range(6):
    states, rewards, following = torch.randn(16, 4), torch.randn(16), torch.randn(16, 4)
    with torch.no_grad():
        best = target(following).max(dim=1).values
    loss = F.mse_loss(online(states)[:, 0], rewards + 0.9 * best)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if update % 2:
        sync(target, online)
