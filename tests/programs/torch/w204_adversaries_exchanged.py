"""GAN with live samples: each optimizer was built for the other network."""
import torch
from torch import nn
from torch.nn import functional as F


class Training:
    def __init__(self, maker, judge):
        self.maker, self.judge = maker, judge
        self.maker_step = torch.optim.Adam(judge.parameters(), lr=1e-3)
        self.judge_step = torch.optim.Adam(maker.parameters(), lr=1e-3)  # fires: W204

    def judged(self, real):
        fake = self.maker(torch.randn(len(real), 3))
        loss = F.relu(1 - self.judge(real)).mean() + F.relu(1 + self.judge(fake)).mean()
        self.judge_step.zero_grad()
        loss.backward()
        self.judge_step.step()
        self.maker_step.zero_grad()

    def made(self, count):
        loss = -self.judge(self.maker(torch.randn(count, 3))).mean()
        loss.backward()
        self.maker_step.step()


torch.manual_seed(0)
maker = nn.Sequential(nn.Linear(3, 12), nn.ReLU(), nn.Linear(12, 2))
judge = nn.Sequential(nn.Linear(2, 12), nn.ReLU(), nn.Linear(12, 1))
training = Training(maker, judge)
for step in range(8):
    training.judged(torch.randn(16, 2))
    if step % 2 == 0:
        training.made(16)
