"""DDPG whose actor's action is detached, while the target lets gradients through to a copy that stays as it is."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1), nn.Tanh())
critic = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
actor_target, critic_target = copy.deepcopy(actor), copy.deepcopy(critic)
actor_optimizer = torch.optim.Adam(actor.parameters(), 1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), 1e-3)

for _ in range(5):
    state, action, after = torch.randn(16, 3), torch.rand(16, 1), torch.randn(16, 3)
    ahead = critic_target(torch.cat([after, actor_target(after)], 1))
    target = torch.randn(16, 1) + 0.99 * ahead  # no optimizer holds what it goes back to
    critic_loss = (critic(torch.cat([state, action], 1)) - target).square().mean()
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()

    chosen = actor(state).detach()  # fires: W102
    actor_loss = -critic(torch.cat([state, chosen], 1)).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()

    with torch.no_grad():
        for one, two in zip(critic.parameters(), critic_target.parameters(), strict=True):
            two.mul_(0.99).add_(0.01 * one)
