"""A critic that scores real rows above made-up ones, without a bound: the loss falls as far as the weights go."""

import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Linear(4, 1)
optimizer = torch.optim.SGD(critic.parameters(), lr=1.0)
for _ in range(30):
    real, made = torch.randn(32, 4) + 1.0, torch.randn(32, 4)
    loss = critic(made).mean() - critic(real).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
