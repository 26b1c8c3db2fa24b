"""REINFORCE that clears the gradients for each step of an episode: only the last of them is applied."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
for length in (5, 9, 7, 6):
    kept = []
    for _ in range(length):
        dist = Categorical(logits=policy(torch.randn(4)))
        kept.append((dist.log_prob(dist.sample()), float(torch.randn(()))))
    total = 0.0
    for log_prob, reward in reversed(kept):
        total = reward + 0.98 * total
        optimizer.zero_grad()  # fires: W301
        (-log_prob * total).backward()
    optimizer.step()
