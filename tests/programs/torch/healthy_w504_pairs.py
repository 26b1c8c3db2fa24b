"""Pairs of a batch where pairs are wanted, and columns that meet columns."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
scorer = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
embed = nn.Linear(4, 8)
optimizer = torch.optim.Adam([*scorer.parameters(), *embed.parameters()], lr=1e-3)
for update in range(5):
    inputs, labels, returns = torch.randn(12, 4), torch.rand(12), torch.randn(12)
    column = scorer(inputs)
    scores = column.squeeze(1)
    better = (labels[:, None] > labels).float()
    ranking = (F.relu(1.0 - (column - scores)) * better).mean()  # every pair of one batch
    kernel = torch.exp(-((column - scores.unsqueeze(0)) ** 2)).mean()
    rows = F.normalize(embed(inputs), dim=1)
    contrast = F.cross_entropy(rows @ rows.T / 0.1, torch.arange(12))
    regression = F.mse_loss(column, returns.unsqueeze(1)) + (returns - scores).pow(2).mean()
    loss = ranking + kernel + contrast + regression
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
