"""Pairs that are wanted: an energy distance, a kernel, the nearest of all, ranks; each tells the pairs apart."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for update in range(5):
    inputs, data = torch.randn(16, 4), torch.randn(16)
    drawn = net(inputs).squeeze(-1)
    energy = 2 * (drawn[:, None] - data).abs().mean() - (drawn[:, None] - drawn).abs().mean()
    spread = ((drawn[:, None] - drawn) ** 2).mean()
    kernel = torch.exp(-((drawn[:, None] - data) ** 2)).mean()
    nearest = ((drawn[:, None] - data) ** 2).min(1).values.mean()
    ranks = (torch.sign(data[:, None] - data) * (drawn[:, None] - drawn)).mean()
    loss = energy - 0.1 * spread - kernel + nearest - ranks
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
