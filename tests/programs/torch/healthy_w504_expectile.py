"""An expectile of a row of values against a row of returns."""
import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
states = torch.randn(64, 4)
returns = states.sum(dim=1)
for update in range(5):
    error = returns - critic(states).squeeze(1)
    weight = torch.abs(0.8 - (error < 0).float())
    loss = (weight * error**2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
