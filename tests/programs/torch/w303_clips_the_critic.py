"""DDPG: before the actor's step the gradients of the critic are clipped, which are cleared before its own."""

import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(4):
    states, actions, targets = torch.randn(16, 3), torch.rand(16, 1), torch.randn(16, 1)
    critic_optimizer.zero_grad()
    nn.functional.mse_loss(critic(torch.cat([states, actions], 1)), targets).backward()
    clip_grad_norm_(critic.parameters(), 1.0)
    critic_optimizer.step()
    actor_optimizer.zero_grad()
    actor_loss = -critic(torch.cat([states, actor(states)], 1)).mean()
    actor_loss.backward()
    clip_grad_norm_(critic.parameters(), 1.0)  # fires: W303
    actor_optimizer.step()
