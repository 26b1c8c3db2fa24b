"""SAC: the critic's value of the new action is detached, row by row, and only the entropy trains the actor."""

import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
critic = nn.ModuleList([nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1)) for _ in range(2)])
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(4):
    states, actions, targets = torch.randn(32, 3), torch.rand(32, 1), torch.randn(32, 1)
    values = [q(torch.cat([states, actions], 1)) for q in critic]
    critic_loss = sum(nn.functional.mse_loss(value, targets) for value in values)
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    policy = Normal(actor(states), 0.3)
    action = policy.rsample()
    first, second = (q(torch.cat([states, action], 1)) for q in critic)
    worst = torch.min(first, second).detach()  # fires: W102
    actor_loss = (0.2 * policy.log_prob(action) - worst).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
