"""Data is wrapped in Variables, as it once had to be; losses are summed up as tensors, and as numbers to be shown."""

import torch
from torch import nn
from torch.autograd import Variable

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(4):
    inputs, targets = Variable(torch.randn(6, 4)), Variable(torch.randn(6, 1))
    shown, loss = 0.0, Variable(torch.zeros(1))
    for row in range(6):
        term = nn.functional.mse_loss(net(inputs[row]), targets[row])
        shown += term.item()
        loss = loss + term / 6
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
