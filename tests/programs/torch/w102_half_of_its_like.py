"""Two networks of one build are added for one prediction; the optimizer has both, and one is detached."""

import torch
from torch import nn

torch.manual_seed(0)
left, right = (nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1)) for _ in range(2))
optimizer = torch.optim.Adam([*left.parameters(), *right.parameters()], lr=1e-3)
for _ in range(3):
    x, y = torch.randn(16, 4), torch.randn(16, 1)
    loss = nn.functional.mse_loss(left(x) + 0.5 * right(x).detach(), y)  # fires: W102
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
