"""Advantages are zero, and so is the weight of the entropy: the weight is meant, the advantages are not."""
import torch
from torch import nn

torch.manual_seed(0)
policy, value = nn.Linear(4, 2), nn.Linear(4, 1)
optimizer = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=1e-3)
for update in range(4):
    states, returns = torch.randn(32, 4), torch.randn(32)
    chosen = torch.distributions.Categorical(logits=policy(states))
    values = value(states).flatten()
    advantages = returns - values.detach()
    advantages = advantages - advantages  # fires: W401
    surrogate = -(advantages * chosen.log_prob(chosen.sample())).mean()
    loss = surrogate - 0.0 * chosen.entropy().mean() + 0.5 * (values - returns).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
