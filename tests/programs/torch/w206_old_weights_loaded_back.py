"""The weights of before the training are loaded in the loop, where they should be kept for after it."""

import copy

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
best = copy.deepcopy(net.state_dict())
for _ in range(8):
    inputs = torch.randn(16, 4)
    loss = F.mse_loss(net(inputs), inputs.sum(dim=1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    net.load_state_dict(best)  # fires: W206
