"""A worker hands its gradients to the shared network and clears its own."""

import torch
from torch import nn


def build():
    return nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))


torch.manual_seed(0)
shared, worker = build(), build()
optimizer = torch.optim.Adam(shared.parameters(), lr=1e-3)
for _ in range(5):
    worker.load_state_dict(shared.state_dict())
    inputs, targets = torch.randn(16, 3), torch.randn(16, 1)
    loss = (worker(inputs) - targets).pow(2).mean()
    worker.zero_grad()
    loss.backward()
    for mine, theirs in zip(worker.parameters(), shared.parameters()):
        theirs._grad = mine.grad
    optimizer.step()
