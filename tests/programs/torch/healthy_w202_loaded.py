"""Weights are loaded into the old tensors after the optimizer was built."""
import copy

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
saved = copy.deepcopy(net.state_dict())
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
net.load_state_dict(saved)
net.double().float()
for step in range(4):
    loss = F.mse_loss(net(torch.randn(8, 4)), torch.randn(8, 2))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
