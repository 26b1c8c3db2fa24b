"""GAN: the optimizers lie behind wrappers that share their groups."""
import torch
from torch import nn


class Wrapped(torch.optim.Optimizer):
    def __init__(self, optimizer):
        self.inner = optimizer

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def step(self, closure=None):
        return self.inner.step(closure)


def make_optimizers(maker, judge):
    for_maker = torch.optim.Adam(maker.parameters(), lr=1e-3)
    for_judge = torch.optim.Adam(judge.parameters(), lr=1e-3)
    return Wrapped(for_maker), Wrapped(for_judge)


def train(maker, judge):
    for_maker, for_judge = make_optimizers(maker, judge)
    verdict = nn.BCEWithLogitsLoss()
    ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
    for step in range(6):
        real, noise = torch.randn(16, 2), torch.randn(16, 3)
        loss = verdict(judge(real), ones) + verdict(judge(maker(noise).detach()), zeros)
        for_judge.zero_grad()
        loss.backward()
        for_judge.step()
        loss = verdict(judge(maker(noise)), ones)
        for_maker.zero_grad()
        loss.backward()
        for_maker.step()


torch.manual_seed(0)
train(
    nn.Sequential(nn.Linear(3, 12), nn.ReLU(), nn.Linear(12, 2)),
    nn.Sequential(nn.Linear(2, 12), nn.ReLU(), nn.Linear(12, 1)),
)
