"""Mixing weights are computed from a parameter once, before the loop."""
import torch
from torch import nn

torch.manual_seed(0)
scores, head = nn.Parameter(torch.zeros(5)), nn.Linear(3, 1)
optimizer = torch.optim.Adam([scores, *head.parameters()], lr=1e-2)
weights = torch.softmax(scores, dim=0)  # fires: W107
for step in range(3):
    inputs = torch.randn(5, 3)
    pooled = (weights[:, None] * inputs).sum(dim=0)
    loss = (head(pooled) - 1.0).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
