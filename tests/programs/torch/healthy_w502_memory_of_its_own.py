"""The target's memory is replaced by a copy; an acting network reads the learner's own memory on purpose."""

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
online, target, acting = (nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3)) for _ in range(3))
for kept, given in zip(acting.parameters(), online.parameters()):
    kept.data = given.data
optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
for update in range(6):
    states, rewards, following = torch.randn(16, 4), torch.randn(16), torch.randn(16, 4)
    with torch.no_grad():
        actions = acting(states).argmax(dim=1)
        best = target(following).max(dim=1).values
    loss = F.mse_loss(online(states).gather(1, actions[:, None]).squeeze(1), rewards + 0.9 * best)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for kept, given in zip(target.parameters(), online.parameters()):
        kept.data = 0.95 * kept.data + 0.05 * given.data
