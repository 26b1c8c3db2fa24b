"""Advantages that are normalised within an episode of one step: the mean is the value itself."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(2)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)

for episode in range(5):
    dist = Categorical(logits=policy(torch.randn(1, 4)))
    action = dist.sample()
    returns = torch.tensor([float(action == 1) + 0.5])
    advantage = returns - returns.mean()  # fires: W401
    loss = -(dist.log_prob(action) * advantage).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
