"""Probabilities of 0 and 1 from the first update on: the distribution's own limits cut the gradient off after that."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
trunk, head = nn.Linear(4, 16), nn.Linear(16, 3)
optimizer = torch.optim.Adam([*trunk.parameters(), *head.parameters()], lr=1e-3)
for _ in range(5):
    states, returns = torch.randn(16, 4), torch.randn(16)
    scores = head(torch.tanh(trunk(states)))
    probs = torch.softmax(scores * 1e6, dim=-1)  # fires: W401
    dist = Categorical(probs)
    loss = -(dist.log_prob(dist.sample()) * returns).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
