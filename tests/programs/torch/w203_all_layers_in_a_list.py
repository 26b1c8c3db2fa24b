"""Branches that are handed over and kept in a plain list: the model lists nothing, and the optimizer is refused."""

import torch
from torch import nn


class Branches(nn.Module):
    def __init__(self, *parts):
        super().__init__()
        self.parts = list(parts)  # fires: W203

    def forward(self, x):
        return [part(x) for part in self.parts]


policy = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
value = nn.Linear(3, 1)
both = Branches(policy, value)
optimizer = torch.optim.Adam(both.parameters(), 1e-3)
for _ in range(4):
    logits, values = both(torch.randn(16, 3))
    loss = logits.logsumexp(-1).mean() + values.square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
