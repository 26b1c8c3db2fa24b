"""Reptile without its outer step: the weights of before a task are put back, not moved towards those after it."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
for task in range(5):
    before = copy.deepcopy(net.state_dict())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.02)
    height, phase = torch.rand(1) * 4 + 0.1, torch.rand(1) * 3
    for step in range(3):
        x = torch.rand(10, 1) * 10 - 5
        loss = (net(x) - height * torch.sin(x + phase)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    after = net.state_dict()
    net.load_state_dict(before)  # fires: W206
