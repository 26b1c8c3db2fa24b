"""Large gradients that are no explosion: targets in the thousands, a first update larger than the rest, a long GRU."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
gru, head = nn.GRU(4, 16), nn.Linear(16, 1)
optimizer = torch.optim.Adam([*net.parameters(), *gru.parameters(), *head.parameters()], lr=1e-2)
for update in range(30):
    states = torch.randn(32, 4)
    loss = F.mse_loss(net(states), 5000 * states[:, :1])
    loss = loss + head(gru(torch.randn(50, 8, 4))[0][-1]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 10.0)
    optimizer.step()
