"""Two losses and two optimizers for one network: the first never clears, and applies the second's gradient again."""

import torch
from torch import nn

torch.manual_seed(0)
maker, reader = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 6)), nn.Linear(6, 4)
making = torch.optim.Adam(maker.parameters(), lr=1e-3)
informing = torch.optim.Adam([*maker.parameters(), *reader.parameters()], lr=1e-3)
for _ in range(4):
    noise = torch.randn(16, 4)
    realism = (maker(noise).norm(dim=1) - 1).pow(2).mean()
    realism.backward()  # fires: W304
    making.step()

    informing.zero_grad()
    information = nn.functional.mse_loss(reader(maker(noise)), noise)
    information.backward()
    informing.step()
