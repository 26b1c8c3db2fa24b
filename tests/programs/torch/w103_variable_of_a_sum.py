"""Losses are summed up as numbers, and the sum is wrapped in a Variable that asks for a gradient."""

import torch
from torch import nn
from torch.autograd import Variable

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(4):
    inputs, targets = torch.randn(6, 4), torch.randn(6, 1)
    total = 0.0
    for row in range(6):
        total += nn.functional.mse_loss(net(inputs[row]), targets[row]).item()  # fires: W103
    loss = Variable(torch.tensor(total / 6), requires_grad=True)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
