"""A learner that could move its slow copy, by a method which nobody calls; a function of the module has its name."""
import copy

import torch
import torch.nn.functional as F
from torch import nn


def move(slow, fast, tau):
    for kept, given in zip(slow.parameters(), fast.parameters(), strict=True):
        kept.data = kept.data * tau + given.data * (1 - tau)


class Learner(nn.Module):
    def __init__(self):
        super().__init__()
        self.online = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 6))
        self.predictor = nn.Linear(6, 6)
        self.slow = copy.deepcopy(self.online).requires_grad_(False)  # fires: W503

    def move(self):
        move(self.slow, self.online, 0.99)

    def forward(self, one, two):
        said_one, said_two = self.predictor(self.online(torch.cat([one, two]))).chunk(2)
        with torch.no_grad():
            slow_one, slow_two = self.slow(torch.cat([one, two])).chunk(2)
        return -F.cosine_similarity(said_one, slow_two).mean() - F.cosine_similarity(said_two, slow_one).mean()


torch.manual_seed(0)
learner = Learner()
optimizer = torch.optim.Adam(learner.parameters(), lr=1e-3)
for update in range(6):
    data = torch.rand(16, 12)
    loss = learner(data + 0.1 * torch.randn_like(data), data + 0.1 * torch.randn_like(data))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
