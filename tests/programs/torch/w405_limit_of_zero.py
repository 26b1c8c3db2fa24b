"""A clipping limit that comes from a configuration with a default of zero."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
config = {"lr": 1e-3, "max_grad_norm": 0.0}
net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=config["lr"])
for update in range(4):
    states = torch.randn(32, 4)
    loss = F.mse_loss(net(states), states[:, :1])
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), config["max_grad_norm"])  # fires: W405
    optimizer.step()
