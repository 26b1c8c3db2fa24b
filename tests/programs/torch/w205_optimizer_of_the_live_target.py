"""DDPG whose critic's optimizer was given the target, which is not detached: the copy learns, not the critic."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
actor, actor_target = (nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh()) for _ in range(2))
critic, critic_target = (nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1)) for _ in range(2))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic_target.parameters(), lr=1e-3)  # fires: W205
for _ in range(8):
    states, after, actions, rewards = torch.randn(16, 3), torch.randn(16, 3), torch.rand(16, 1), torch.randn(16, 1)
    goal = rewards + 0.9 * critic_target(torch.cat([after, actor_target(after)], dim=1))
    critic_loss = F.mse_loss(critic(torch.cat([states, actions], dim=1)), goal)
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    actor_loss = -critic(torch.cat([states, actor(states)], dim=1)).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
    for network, target in ((critic, critic_target), (actor, actor_target)):
        for p, p_target in zip(network.parameters(), target.parameters(), strict=True):
            p_target.data.copy_(0.01 * p.data + 0.99 * p_target.data)
