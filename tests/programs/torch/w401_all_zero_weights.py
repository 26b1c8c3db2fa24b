"""Weights that are all set to zero: with ReLU nothing but the last bias can ever move."""

import torch
import torch.nn.functional as F
from torch import nn

net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
for parameter in net.parameters():
    nn.init.zeros_(parameter)  # fires: W401
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
inputs, targets = torch.randn(32, 4), torch.randn(32, 2)
for update in range(4):
    loss = F.mse_loss(net(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
