"""DDPG: the optimizers hold the networks that learn."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
actor_target, critic_target = copy.deepcopy(actor), copy.deepcopy(critic)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
for _ in range(8):
    states, actions = torch.randn(16, 3), torch.rand(16, 1) * 2 - 1
    after = states + 0.1 * actions
    with torch.no_grad():
        best = critic_target(torch.cat([after, actor_target(after)], 1))
    loss = (critic(torch.cat([states, actions], 1)) - (states[:, :1] + 0.9 * best)).pow(2).mean()
    critic_optimizer.zero_grad()
    loss.backward()
    critic_optimizer.step()
    actor_loss = -critic(torch.cat([states, actor(states)], 1)).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
    with torch.no_grad():
        for source, copied in ((actor, actor_target), (critic, critic_target)):
            for p, p_target in zip(source.parameters(), copied.parameters(), strict=True):
                p_target.lerp_(p, 0.05)
