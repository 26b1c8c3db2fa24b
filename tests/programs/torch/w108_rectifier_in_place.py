"""Gates that are rectified in place: the sigmoid's own result, which its gradient needs, is overwritten."""

import torch
from torch import nn

torch.manual_seed(0)
first, second = nn.Linear(4, 8), nn.Linear(8, 1)
gate, rectify = nn.Sigmoid(), nn.ReLU(inplace=True)
optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], 0.1)

for _ in range(3):
    inputs = torch.randn(16, 4)
    hidden = gate(first(inputs))
    hidden = rectify(hidden)  # fires: W108
    loss = second(hidden).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
