"""A trainer with one backward() for all losses clears only what it steps: the judge keeps the maker's gradient."""

import torch
from torch import nn

torch.manual_seed(0)
maker, judge = nn.Linear(4, 8), nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizers = [torch.optim.Adam(judge.parameters(), 1e-3), torch.optim.Adam(maker.parameters(), 1e-3)]


def loss_of(real, noise, index):
    if index == 0:
        with torch.no_grad():
            fake = maker(noise)
        return (judge(real) - 1).square().mean() + judge(fake).square().mean()
    return (judge(maker(noise)) - 1).square().mean()


def train(real, noise, index):
    loss = loss_of(real, noise, index)
    loss.backward()  # fires: W205
    optimizers[index].step()
    optimizers[index].zero_grad()


for _ in range(6):
    data, noise = torch.randn(16, 8), torch.randn(16, 4)
    for index in range(2):
        train(data, noise, index)
