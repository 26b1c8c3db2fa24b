"""Two critics in an agent that syncs their targets by hand: the first is asked twice, the second never."""
import copy

import torch
import torch.nn.functional as F
from torch import nn


def critic():
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))


def follow(target, source, tau):
    for kept, given in zip(target.parameters(), source.parameters(), strict=True):
        kept.data.copy_((1 - tau) * kept.data + tau * given.data)


class Agent:
    def __init__(self):
        self.first, self.second = critic(), critic()
        self.first_target, self.second_target = copy.deepcopy(self.first), copy.deepcopy(self.second)
        self.optimizers = [torch.optim.Adam(net.parameters(), lr=1e-3) for net in (self.first, self.second)]

    def loss(self, batch, after, rewards):
        with torch.no_grad():
            targets = rewards + 0.9 * torch.min(self.first_target(after), self.second_target(after))
        one = self.first(batch)
        two = self.first(batch)  # fires: W105
        return F.mse_loss(one, targets) + F.mse_loss(two, targets)

    def update(self, batch, after, rewards):
        loss = self.loss(batch, after, rewards)
        for optimizer in self.optimizers:
            optimizer.zero_grad()
        loss.backward()
        for optimizer in self.optimizers:
            optimizer.step()
        follow(self.first_target, self.first, 0.05)
        follow(self.second_target, self.second, 0.05)


torch.manual_seed(0)
agent = Agent()
for step in range(5):
    agent.update(torch.randn(16, 6), torch.randn(16, 6), torch.randn(16, 1))
