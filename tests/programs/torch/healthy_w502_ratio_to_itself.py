"""A network is held against itself on purpose: the ratio of an on-policy update, and a reference that stays."""
import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 5))
behaviour = policy  # it collects, and is the policy
reference = copy.deepcopy(policy)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for update in range(6):
    states, weights = torch.randn(16, 6), torch.randn(16)
    with torch.no_grad():
        actions = torch.distributions.Categorical(logits=behaviour(states)).sample()
        kept = F.log_softmax(reference(states), dim=1)
    log_probs = F.log_softmax(policy(states), dim=1)
    taken = log_probs.gather(1, actions.unsqueeze(1)).squeeze(1)
    ratio = torch.exp(taken - taken.detach())  # one, with a gradient
    apart = (log_probs.exp() * (log_probs - kept)).sum(1)
    loss = (0.1 * apart - torch.min(ratio * weights, ratio.clamp(0.8, 1.2) * weights)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
