"""Weights of norm 1 after each step, a Reptile loop, and the best weights loaded at the end."""

import copy

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Linear(4, 1, bias=False)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
best = copy.deepcopy(net.state_dict())
for _ in range(8):
    inputs = torch.randn(16, 4)
    loss = F.mse_loss(net(inputs), inputs.sum(dim=1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        net.weight.div_(net.weight.norm())
    best = copy.deepcopy(net.state_dict())
net.load_state_dict(best)

learner = nn.Linear(4, 1)
inner = torch.optim.SGD(learner.parameters(), lr=0.05)
for _ in range(6):
    start = copy.deepcopy(learner.state_dict())
    for _ in range(2):
        inputs = torch.randn(16, 4)
        loss = F.mse_loss(learner(inputs), inputs.sum(dim=1, keepdim=True))
        inner.zero_grad()
        loss.backward()
        inner.step()
    learned = learner.state_dict()
    learner.load_state_dict({name: start[name] + 0.5 * (learned[name] - start[name]) for name in start})
