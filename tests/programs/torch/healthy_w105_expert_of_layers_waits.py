"""Experts of several layers; each row chooses one, a batch some of them, and two have not been chosen yet."""
import torch
from torch import nn

torch.manual_seed(0)
experts = nn.ModuleList(nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1)) for _ in range(6))
optimizer = torch.optim.Adam(experts.parameters(), lr=1e-2)
for step in range(6):
    x = torch.randn(8, 4)
    chosen = (x[:, 0] > 0).long() + (x[:, 1] > 0.5).long() + (x[:, 2] > 0.8).long()
    losses = []
    for number in chosen.unique().tolist():
        rows = x[chosen == number]
        losses.append((experts[number](rows) - rows.sum(dim=1, keepdim=True)).square().mean())
    loss = torch.stack(losses).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
