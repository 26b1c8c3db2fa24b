"""The returns are laid out beside the column of values by hand: every value meets every return."""
import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for update in range(4):
    states, returns = torch.randn(8, 4), torch.randn(8)
    values = critic(states)
    targets = returns.unsqueeze(0).expand(len(values), -1)
    loss = (values - targets).pow(2).mean()  # fires: W504
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
