"""The loss is scaled for half precision, and the optimizer steps by itself."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-4)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for _ in range(4):
    x, y = torch.randn(16, 6), torch.randn(16, 1)
    optimizer.zero_grad()
    scaler.scale(nn.functional.mse_loss(net(x), y)).backward()
    optimizer.step()  # fires: W303
