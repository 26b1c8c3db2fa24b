"""The temperature's term of a joint loss has a live log-probability, and undoes the actor's."""
import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1)).requires_grad_(False)
log_alpha = nn.Parameter(torch.zeros(()))
optimizer = torch.optim.Adam([*actor.parameters(), log_alpha], lr=1e-3)
for step in range(5):
    states = torch.randn(16, 3)
    mean, log_std = actor(states).chunk(2, dim=1)
    policy = Normal(mean, log_std.exp())
    actions = policy.rsample()
    chance = policy.log_prob(actions).sum(dim=1)
    alpha = log_alpha.exp()
    q = critic(torch.cat([states, actions], dim=1)).squeeze(1)
    actor_loss = (alpha.detach() * chance - q).mean()
    alpha_loss = -(alpha * (chance + 1.0)).mean()  # fires: W205
    optimizer.zero_grad()
    (actor_loss + alpha_loss).backward()
    optimizer.step()
