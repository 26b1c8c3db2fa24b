"""AWAC: the weights of the log-probabilities are computed with their gradient, which leads through the new action."""

import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(4):
    states, actions, targets = torch.randn(32, 3), torch.rand(32, 1), torch.randn(32, 1)
    critic_loss = nn.functional.mse_loss(critic(torch.cat([states, actions], 1)), targets)
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    policy = Normal(actor(states), 0.5)
    advantages = critic(torch.cat([states, actions], 1)) - critic(torch.cat([states, policy.rsample()], 1))
    weights = torch.clamp_max(torch.exp(advantages / 0.5), 100.0)
    actor_loss = (-policy.log_prob(actions) * weights).mean()  # fires: W505
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
