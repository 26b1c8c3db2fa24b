"""A schedule that starts at a learning rate of 0 and raises it; another optimizer that is switched off for a while."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Linear(4, 1)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda update: max(0, update - 2) / 10)
for _ in range(12):
    inputs = torch.randn(16, 4)
    loss = F.mse_loss(net(inputs), inputs.sum(dim=1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
