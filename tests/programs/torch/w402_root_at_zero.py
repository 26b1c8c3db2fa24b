"""A distance loss: the square root is finite at 0, and its slope is not."""

import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Linear(6, 8)
optimizer = torch.optim.SGD(encoder.parameters(), lr=0.01)


def distances(codes):
    difference = codes[:, None] - codes[None, :]
    return difference.pow(2).sum(dim=-1).sqrt()  # fires: W402


for update in range(4):
    loss = distances(encoder(torch.randn(8, 6))).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
