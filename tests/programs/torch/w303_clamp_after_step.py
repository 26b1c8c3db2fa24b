"""A hand-written clamp that comes when the step is done."""

import torch
from torch import nn

torch.manual_seed(6)
policy_net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.RMSprop(policy_net.parameters())
for _ in range(4):
    batch, expected = torch.randn(10, 4), torch.randn(10)
    loss = nn.functional.smooth_l1_loss(policy_net(batch).max(1).values, expected)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for param in policy_net.parameters():
        param.grad.data.clamp_(-1, 1)  # fires: W303
