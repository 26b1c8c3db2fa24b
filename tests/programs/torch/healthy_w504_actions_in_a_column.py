"""Actions are kept as a column, and made a row for the index; columns of values that are picked for all rows."""
import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 48))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
picked = torch.randperm(48)[:32]
for update in range(5):
    states, actions, wanted = torch.randn(32, 4), torch.randint(0, 48, (32, 1)), torch.randn(32)
    values = policy(states)
    chosen = values[torch.arange(32), actions.squeeze(1)]
    loss = ((chosen - torch.randn(32)) ** 2).mean() + ((values[:, picked] - wanted) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
