"""The optimizer is made, its gradients are cleared and computed, and step() is never called."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(4):
    inputs = torch.randn(16, 3)
    loss = nn.functional.mse_loss(net(inputs), inputs.sum(dim=1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()  # fires: W201
