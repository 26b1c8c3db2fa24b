"""The slow network is the trained one; the sync is given what averages, and both of them."""
import torch
import torch.nn.functional as F
from torch import nn


class Average:
    def __init__(self, beta):
        self.beta = beta

    def update(self, old, new):
        return old * self.beta + (1 - self.beta) * new


def move(average, slow, fast):
    for given, kept in zip(fast.parameters(), slow.parameters(), strict=True):
        kept.data = average.update(kept.data, given.data)


class Learner(nn.Module):
    def __init__(self):
        super().__init__()
        self.online, self.predictor = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 6)), nn.Linear(6, 6)
        self.slow = None
        self.average = Average(0.99)

    def make_slow(self):
        slow = self.online  # fires: W502
        return slow

    def forward(self, one, two):
        said = self.predictor(self.online(one))
        with torch.no_grad():
            self.slow = self.slow or self.make_slow()
            goal = self.slow(two)
        return -F.cosine_similarity(said, goal).mean()

    def sync(self):
        move(self.average, self.slow, self.online)


torch.manual_seed(0)
learner = Learner()
optimizer = torch.optim.Adam(learner.parameters(), lr=1e-3)
for update in range(5):
    loss = learner(torch.rand(16, 12), torch.rand(16, 12))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    learner.sync()
