"""Actions are kept as a column, and index the values beside a row of numbers: each row is read at all actions."""
import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
for update in range(5):
    states, actions, old = torch.randn(32, 4), torch.randint(0, 3, (32, 1)), torch.full((32,), -1.1)
    advantages = torch.randn(32)
    chances = torch.log_softmax(policy(states), dim=1)
    chosen = chances[torch.arange(32), actions]  # fires: W504
    ratio = (chosen - old).exp()
    loss = -torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
