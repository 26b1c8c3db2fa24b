"""The critic is frozen for the actor's loss and thawed again; its own target runs through it, with a gradient."""

import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1), nn.Tanh())
critic = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(4):
    states, actions, rewards = torch.randn(16, 3), torch.rand(16, 1), torch.randn(16, 1)
    after = states + 0.1 * torch.randn(16, 3)
    target = rewards + 0.9 * critic(torch.cat([after, actor(after).detach()], 1))  # fires: W501
    loss = (critic(torch.cat([states, actions], 1)) - target).pow(2).mean()
    critic_optimizer.zero_grad()
    loss.backward()
    critic_optimizer.step()
    for p in critic.parameters():
        p.requires_grad = False
    loss = -critic(torch.cat([states, actor(states)], 1)).mean()
    actor_optimizer.zero_grad()
    loss.backward()
    actor_optimizer.step()
    for p in critic.parameters():
        p.requires_grad = True
