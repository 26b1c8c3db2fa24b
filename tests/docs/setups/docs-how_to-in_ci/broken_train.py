"""A training in which the features are detached."""

import torch
from torch import nn

body, head = nn.Linear(3, 8), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*body.parameters(), *head.parameters()])
for _ in range(5):
    loss = head(body(torch.randn(16, 3)).detach()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
