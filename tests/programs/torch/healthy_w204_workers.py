"""A worker pushes its gradients to the network it was copied from; averaged gradients come back to their owners."""

import copy

import torch
from torch import nn

torch.manual_seed(2)
shared = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(shared.parameters(), lr=0.1)
worker = copy.deepcopy(shared)
for _ in range(3):
    worker.load_state_dict(shared.state_dict())
    worker.zero_grad()
    nn.functional.mse_loss(worker(torch.randn(8, 4)), torch.randn(8, 1)).backward()
    for mine, theirs in zip(worker.parameters(), shared.parameters()):
        theirs._grad = mine.grad
    optimizer.step()

net = nn.Linear(4, 1)
own = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    losses = [net(torch.randn(8, 4)).pow(2).mean() for _ in range(2)]
    parts = [torch.autograd.grad(loss, list(net.parameters())) for loss in losses]
    for parameter, *several in zip(net.parameters(), *parts):
        parameter.grad = sum(several) / len(several)
    own.step()
