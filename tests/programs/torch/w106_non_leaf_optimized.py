"""A log-std is scaled after it was made a leaf, and the scaled one is given to the optimizer."""
import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(3, 1)
log_std = torch.ones(1, requires_grad=True) * -0.5
optimizer = torch.optim.Adam([*policy.parameters(), log_std], lr=1e-3)  # fires: W106
for step in range(3):
    states = torch.randn(8, 3)
    loss = (policy(states) + log_std.exp() * torch.randn(8, 1)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
