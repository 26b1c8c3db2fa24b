"""Five values for each state and one target: each member of the ensemble is held against it."""

import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(0)
values = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.Adam(values.parameters(), lr=1e-3)
for _ in range(4):
    states, returns = torch.randn(16, 4), torch.randn(16, 1)
    loss = nn.functional.mse_loss(values(states), returns)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
