"""A `where` around a division: the forward pass is clean, the backward pass is not."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 4)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
counts = torch.tensor([0.0, 2.0, 4.0, 0.0])
for update in range(4):
    sums = net(torch.randn(16, 3))
    means = sums / counts  # fires: W402
    means = torch.where(counts > 0, means, torch.zeros_like(means))
    loss = means.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
