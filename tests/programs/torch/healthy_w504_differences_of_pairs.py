"""Pairs are meant: scores against each other, and an energy distance between samples and data."""
import torch
from torch import nn

torch.manual_seed(0)
scores = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(scores.parameters(), lr=1e-3)
for update in range(4):
    x, data = torch.randn(8, 4), torch.randn(8)
    s = scores(x)
    rows = s.t().expand(8, 8)
    relevance = x[:, 0].unsqueeze(1) - x[:, 0].unsqueeze(0)
    ranking = (s - rows - relevance).pow(2).mean()
    laid_out = data.unsqueeze(0).expand(8, 8)
    distance = 2 * (s - laid_out).abs().mean() - (s - rows).abs().mean()
    loss = ranking + distance
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
