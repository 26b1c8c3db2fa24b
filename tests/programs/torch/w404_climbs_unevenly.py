"""A bootstrap target with a discount above 1: up and down from batch to batch, and up without end."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
q = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(q.parameters(), lr=3e-2)
for update in range(150):
    states, actions = torch.randn(16, 4), torch.randint(2, (16, 1))
    following = states + 0.1 * torch.randn(16, 4)
    with torch.no_grad():
        targets = 1.0 + 1.1 * q(following).max(dim=1, keepdim=True).values
    loss = F.mse_loss(q(states).gather(1, actions), targets)
    optimizer.zero_grad()
    loss.backward()  # fires: W404
    optimizer.step()
