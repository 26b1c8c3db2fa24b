"""Advantage actor-critic: the critic's loss is computed and printed, and backward is called on the actor's alone."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(3)
actor = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
actor_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
for update in range(4):
    states, returns = torch.randn(12, 4), torch.randn(12)
    values = critic(states).squeeze(1)
    taken = torch.randint(0, 2, (12,))
    weighted = F.cross_entropy(actor(states), taken, reduction="none") * (returns - values.detach())
    critic_loss = F.mse_loss(values, returns)
    actor_opt.zero_grad()
    weighted.mean().backward()
    actor_opt.step()
    critic_opt.zero_grad()
    critic_opt.step()  # fires: W302
    print(update, critic_loss.item())
