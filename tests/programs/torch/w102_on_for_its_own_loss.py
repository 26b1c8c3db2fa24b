"""Networks ask for gradients only around their own loss; the head of the actor is cut all the same."""

import torch
import torch.nn.functional as F
from torch import nn


class Asking:
    def __init__(self, module):
        self.module = module

    def __enter__(self):
        self.module.requires_grad_(True)

    def __exit__(self, *_):
        self.module.requires_grad_(False)


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head, self.spread = nn.Linear(4, 16), nn.Linear(16, 2), nn.Linear(16, 2)

    def forward(self, x):
        h = torch.tanh(self.body(x))
        return torch.tanh(self.head(h)).detach(), self.spread(h)  # fires: W102


torch.manual_seed(0)
actor, model = Actor().requires_grad_(False), nn.Linear(6, 1).requires_grad_(False)
optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
for _ in range(5):
    states = torch.randn(32, 4)
    with Asking(actor):
        mean, spread = actor(states)
        loss = -model(torch.cat([states, mean], -1)).mean() - 0.01 * F.softplus(spread).mean()
    with Asking(actor):
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
