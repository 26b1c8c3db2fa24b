"""SAC: the critic is frozen while it judges, and the action that it judges is a plain sample."""

import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(4):
    states, actions, targets = torch.randn(32, 3), torch.rand(32, 1), torch.randn(32, 1)
    critic_loss = nn.functional.mse_loss(critic(torch.cat([states, actions], 1)), targets)
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    critic.requires_grad_(False)
    mean, log_std = actor(states).chunk(2, dim=1)
    policy = Normal(mean, log_std.exp())
    action = policy.sample()  # fires: W505
    value = critic(torch.cat([states, torch.tanh(action)], 1))
    actor_loss = (0.2 * policy.log_prob(action) - value).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
    critic.requires_grad_(True)
