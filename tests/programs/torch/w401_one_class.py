"""A cross-entropy over a single logit: there is one class, and it is certain."""

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters())
for _ in range(5):
    x = torch.randn(16, 4)
    loss = F.cross_entropy(net(x), torch.zeros(16, dtype=torch.long))  # fires: W401
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
