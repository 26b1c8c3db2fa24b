"""SAC: the temperature has a loss and an optimizer, which is cleared and never steps."""

import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1)).requires_grad_(False)
log_alpha = torch.zeros(1, requires_grad=True)
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
alpha_optimizer = torch.optim.Adam([log_alpha], lr=1e-3)
for _ in range(4):
    states = torch.randn(32, 3)
    policy = Normal(actor(states), 0.5)
    action = policy.rsample()
    log_prob = policy.log_prob(action)
    actor_loss = (log_alpha.exp() * log_prob - critic(torch.cat([states, action], 1))).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
    alpha_loss = -(log_alpha.exp() * (log_prob - 1.0).detach()).mean()
    alpha_optimizer.zero_grad()
    alpha_loss.backward()  # fires: W201
