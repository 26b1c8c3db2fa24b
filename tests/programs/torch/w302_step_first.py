"""The step stands above the loss, right behind the clearing."""

import torch
from torch import nn

torch.manual_seed(0)
q_net = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 2))
optimizer = torch.optim.RMSprop(q_net.parameters(), lr=1e-3)
for _ in range(4):
    states, targets = torch.randn(16, 4), torch.randn(16)
    optimizer.zero_grad()
    optimizer.step()  # fires: W302
    chosen = q_net(states).max(dim=1).values
    loss = nn.functional.smooth_l1_loss(chosen, targets)
    loss.backward()
