"""Frozen for the actor's step, thawed after it; a frozen trunk that no optimizer holds."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
trunk = nn.Linear(3, 6).requires_grad_(False)
actor, critic = nn.Linear(6, 1), nn.Linear(7, 1)
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for update in range(4):
    features, actions = trunk(torch.randn(8, 3)), torch.rand(8, 1)
    critic_loss = F.mse_loss(critic(torch.cat([features, actions], dim=1)), torch.randn(8, 1))
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    critic.requires_grad_(False)
    actor_loss = -critic(torch.cat([features, actor(features)], dim=1)).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
    critic.requires_grad_(True)
