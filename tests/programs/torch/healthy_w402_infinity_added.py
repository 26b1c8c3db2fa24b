"""Minus infinity is added to the scores of actions that are not allowed: the slope of a sum is 1."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 5), nn.Softplus())
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
forbidden = torch.zeros(5)
forbidden[4] = -float("inf")
for update in range(4):
    scores = policy(torch.randn(16, 4)) + forbidden
    loss = F.cross_entropy(scores, torch.randint(0, 4, (16,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
