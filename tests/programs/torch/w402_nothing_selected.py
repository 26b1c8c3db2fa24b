"""A loss over the finished episodes of a batch: in the third batch none has finished."""

import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for update in range(4):
    states = torch.randn(8, 4)
    done = torch.arange(8) < (4 if update < 2 else 0)
    values = critic(states).squeeze(1)
    loss = values[done].pow(2).mean()  # fires: W402
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
