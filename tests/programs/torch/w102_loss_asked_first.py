"""A temperature that is read through .data, and an update that only runs where its loss takes a gradient."""
import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
actor = nn.Linear(3, 2)
log_alpha = torch.zeros(1, requires_grad=True)
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
alpha_optimizer = torch.optim.Adam([log_alpha], lr=1e-3)
for update in range(6):
    mean, log_std = actor(torch.randn(8, 3)).chunk(2, dim=1)
    dist = Normal(mean, log_std.exp())
    actions = dist.rsample()
    log_probs = dist.log_prob(actions)
    alpha = log_alpha.data.exp()  # fires: W102
    actor_loss = (alpha * log_probs + actions.pow(2)).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
    alpha_loss = -(alpha * (log_probs.detach() - 1.0)).mean()
    if alpha_loss.requires_grad:
        alpha_optimizer.zero_grad()
        alpha_loss.backward()
        alpha_optimizer.step()
