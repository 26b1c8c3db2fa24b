"""The new log-probability is computed in the block of the old one; the actions were drawn in another such block."""

import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
mean, value = nn.Linear(3, 1), nn.Linear(3, 1)
optimizer = torch.optim.Adam([*mean.parameters(), *value.parameters()], lr=1e-3)
for _ in range(3):
    states = torch.randn(16, 3)
    with torch.no_grad():
        actions = Normal(mean(states), 1.0).sample()
    returns = -(actions - states[:, :1]).pow(2)
    with torch.no_grad():
        logp = Normal(mean(states), 1.0).log_prob(actions)  # fires: W101
        old = logp.clone()
    advantage = (returns - value(states)).detach()
    loss = -((logp - old).exp() * advantage).mean() + (value(states) - returns).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
