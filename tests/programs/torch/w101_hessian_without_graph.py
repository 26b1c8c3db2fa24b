"""A Hessian-vector product of which the first gradient has no graph; the old policy's detach is right."""

import torch
from torch import nn


def product(policy, states, vector):
    mean = policy(states)
    old = mean.detach()
    gap = (mean - old).pow(2).mean()
    first = torch.autograd.grad(gap, list(policy.parameters()), retain_graph=True)  # fires: W101
    along = sum((g * v).sum() for g, v in zip(first, vector))
    return torch.autograd.grad(along, list(policy.parameters()))


torch.manual_seed(0)
policy, critic = nn.Linear(3, 2), nn.Linear(3, 1)
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(3):
    states = torch.randn(16, 3)
    optimizer.zero_grad()
    (critic(states) - 1.0).pow(2).mean().backward()
    optimizer.step()
    step = product(policy, states, [torch.ones_like(p) for p in policy.parameters()])
    with torch.no_grad():
        for p, d in zip(policy.parameters(), step):
            p.add_(d, alpha=-0.01)
