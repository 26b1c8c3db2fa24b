"""AWAC with a Gaussian log-density by hand: the weights are not stopped, and an action of the policy is in them."""

import torch
from torch import nn
import torch.nn.functional as F


def mlp(size, out):
    return nn.Sequential(nn.Linear(size, 32), nn.ReLU(), nn.Linear(32, out))


torch.manual_seed(0)
actor, critic = mlp(4, 4), mlp(6, 1)
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)


def q(states, actions):
    return critic(torch.cat([states, actions], 1)).squeeze(1)


for _ in range(6):
    states, actions, goals = torch.randn(32, 4), torch.randn(32, 2), torch.randn(32)
    critic_loss = F.mse_loss(q(states, actions), goals)
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()

    mean, log_std = actor(states).clamp(-2, 2).chunk(2, dim=1)
    own = mean + log_std.exp() * torch.randn_like(mean)
    weights = torch.softmax(q(states, actions) - q(states, own), dim=0) * 32
    density = (-0.5 * ((actions - mean) * torch.exp(-log_std)) ** 2 - log_std).sum(1)
    actor_loss = -(weights * density).mean()  # fires: W505
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
