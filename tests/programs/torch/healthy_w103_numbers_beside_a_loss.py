"""Numbers beside a loss that are meant: a running mean, a loss of its own that is shown, a temperature's value."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy, value = nn.Linear(4, 3), nn.Linear(4, 1)
log_alpha = torch.zeros((), requires_grad=True)
optimizers = [torch.optim.Adam(given, lr=1e-3) for given in (policy.parameters(), value.parameters(), [log_alpha])]
mean = 0.0
for _ in range(4):
    states, returns = torch.randn(16, 4), torch.randn(16)
    dist, alpha = Categorical(logits=policy(states)), log_alpha.exp().item()
    value_loss = (returns - value(states).squeeze(1)).pow(2).mean()
    log_probs, advantages = dist.log_prob(dist.sample()), returns - value(states).squeeze(1).detach()
    policy_loss = -(log_probs * advantages).mean() - alpha * dist.entropy().mean() + value_loss.item() - mean
    alpha_loss = log_alpha * (dist.entropy().mean().item() - 0.5)
    for optimizer, loss in zip(optimizers, (policy_loss, value_loss, alpha_loss)):
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    mean = 0.9 * mean + 0.1 * policy_loss.item()
