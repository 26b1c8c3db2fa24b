"""A learning rate of 0: gradients arrive, and no step changes anything."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Linear(4, 1)
optimizer = torch.optim.Adam(net.parameters(), lr=0.0)  # fires: W201
for _ in range(5):
    inputs = torch.randn(16, 4)
    loss = F.mse_loss(net(inputs), inputs.sum(dim=1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
