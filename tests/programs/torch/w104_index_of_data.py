"""A classifier whose loss compares the predicted class, found in `.data`, with the label."""

import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Sequential(nn.Linear(6, 16), nn.ReLU()), nn.Linear(16, 3)
scale = nn.Parameter(torch.ones(()))
optimizer = torch.optim.Adam([*body.parameters(), *head.parameters(), scale], lr=1e-3)
for _ in range(4):
    outputs = head(body(torch.randn(16, 6)))
    _, predicted = torch.max(outputs.data, 1)  # fires: W104
    loss = (scale * predicted.float() - torch.randint(0, 3, (16,))).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
