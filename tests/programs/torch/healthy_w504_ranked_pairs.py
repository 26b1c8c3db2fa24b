"""Scores of every row against every row, put through a sigmoid and compared with who is better."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(4):
    x, worth = torch.randn(8, 3), torch.randn(8)
    score = net(x)
    chance = torch.sigmoid(score - score.squeeze(1))
    better = (worth.unsqueeze(1) > worth).float()
    loss = (chance - better).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
