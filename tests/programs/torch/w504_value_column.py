"""The critic gives a column, the returns are a row."""
import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
states = torch.randn(64, 4)
returns = states.sum(dim=1)
for update in range(5):
    values = critic(states)
    loss = (returns - values).pow(2).mean()  # fires: W504
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
