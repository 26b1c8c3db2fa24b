"""A residual block that adds into the input of its own layer; the rectifiers in place around it do no harm."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
stem, layer, head = nn.Linear(4, 8), nn.Linear(8, 8), nn.Linear(8, 1)
optimizer = torch.optim.SGD([*stem.parameters(), *layer.parameters(), *head.parameters()], 0.1)

for _ in range(3):
    x = F.relu(stem(torch.randn(16, 4)), inplace=True)
    more = layer(x)
    x += more  # fires: W108
    x = F.relu(x, inplace=True)
    loss = head(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
