"""Scores of every row against every row, of which those in the right order are left out: pairs are meant."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(4):
    score = net(torch.randn(8, 3))
    gap = score - score.squeeze(1).detach()
    wrong = torch.where(gap > 0, 1.0, 0.0)
    loss = (wrong * gap**2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
