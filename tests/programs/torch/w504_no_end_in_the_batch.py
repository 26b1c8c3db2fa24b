"""Next values are a column, and no episode ends in the batch: ones for `1 - done` hide nothing."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
target_net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(4):
    target_net.load_state_dict(net.state_dict())
    states, after = torch.randn(8, 3), torch.randn(8, 3)
    rewards, done = torch.randn(8), torch.zeros(8)
    with torch.no_grad():
        target = rewards + 0.9 * target_net(after) * (1 - done)  # fires: W504
    loss = ((net(states).squeeze(1) - target) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
