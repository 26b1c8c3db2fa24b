"""A divergence from the target's distribution, written as two sums: the first is the target's alone."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
target, value = copy.deepcopy(policy), nn.Linear(4, 1)
slow = copy.deepcopy(value)
optimizer = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=1e-3)
for update in range(5):
    states, returns = torch.randn(32, 4), torch.randn(32, 1)
    chances = target(states).softmax(-1)
    divergence = (chances * chances.log()).sum(-1).mean() - (chances * policy(states).log_softmax(-1)).sum(-1).mean()
    advantage = (returns - slow(states)).detach()
    loss = divergence + (value(states) - returns).pow(2).mean() - (policy(states).log_softmax(-1) * advantage).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for net, copied in ((policy, target), (value, slow)):
            for given, kept in zip(net.parameters(), copied.parameters(), strict=True):
                kept.lerp_(given, 0.05)
