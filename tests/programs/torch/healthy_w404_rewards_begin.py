"""Rewards are rare at first and large later: the losses grow from nearly nothing, and settle."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
q = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(q.parameters(), lr=1e-2)
for update in range(150):
    states, actions = torch.randn(16, 4), torch.randint(2, (16, 1))
    following = states + 0.1 * torch.randn(16, 4)
    rewards = 30.0 * (torch.rand(16, 1) < update / 150).float() * states[:, :1].abs()
    with torch.no_grad():
        targets = rewards + 0.9 * q(following).max(dim=1, keepdim=True).values
    loss = F.mse_loss(q(states).gather(1, actions), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
