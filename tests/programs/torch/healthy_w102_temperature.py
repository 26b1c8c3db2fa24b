"""The temperature weighs the actor's term, stopped, and learns from its own."""
import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
actor = nn.Linear(3, 2)
log_alpha = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.Adam([*actor.parameters(), log_alpha], lr=1e-3)
for update in range(4):
    mean, log_std = actor(torch.randn(8, 3)).chunk(2, dim=1)
    dist = Normal(mean, log_std.exp())
    actions = dist.rsample()
    log_probs = dist.log_prob(actions)
    weight = log_alpha.exp().detach()
    actor_loss = (weight * log_probs + actions.pow(2)).mean()
    alpha_loss = -(log_alpha.exp() * (log_probs.detach() - 1.0)).mean()
    optimizer.zero_grad()
    (actor_loss + alpha_loss).backward()
    optimizer.step()
