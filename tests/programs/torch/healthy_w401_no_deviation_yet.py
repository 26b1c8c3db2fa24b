"""One epoch for each batch: the ratio to the old policy is 1, the penalty 0, and rewards are still zero."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
for _ in range(6):
    states, rewards, advantage = torch.randn(32, 4), torch.zeros(32), torch.randn(32)
    with torch.no_grad():
        old = Categorical(logits=policy(states))
        actions = old.sample()
        before = old.log_prob(actions)
    dist = Categorical(logits=policy(states))
    deviation = dist.log_prob(actions) - before
    penalty = (deviation * deviation).mean()
    bonus = -(dist.log_prob(actions) * (0.5 * rewards)).mean()
    loss = -(deviation.exp() * advantage).mean() + 0.1 * penalty + bonus - 0.01 * dist.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
