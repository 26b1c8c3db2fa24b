"""What the actor's loss leaves in the critic is cleared before the actor steps; the critic learns from its own loss."""

import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
critic = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(4):
    states, actions, returns = torch.randn(16, 4), torch.randn(16, 1), torch.randn(16, 1)
    actor_optimizer.zero_grad()
    (-critic(torch.cat([states, actor(states)], dim=1)).mean()).backward()
    critic_optimizer.zero_grad()
    actor_optimizer.step()
    nn.functional.mse_loss(critic(torch.cat([states, actions], dim=1)), returns).backward()
    critic_optimizer.step()
