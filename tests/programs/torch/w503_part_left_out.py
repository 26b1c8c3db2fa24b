"""DDPG with actor and critic in one module: the sync goes over the actor's parameters alone."""

import copy

import torch
from torch import nn


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
        self.q = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))

    def value(self, states, actions):
        return self.q(torch.cat([states, actions], 1))


torch.manual_seed(0)
online = ActorCritic()
target = copy.deepcopy(online).requires_grad_(False)
pi_optimizer = torch.optim.Adam(online.pi.parameters(), lr=1e-3)
q_optimizer = torch.optim.Adam(online.q.parameters(), lr=1e-3)
for _ in range(12):
    states, actions = torch.randn(16, 3), torch.rand(16, 1) * 2 - 1
    rewards, after = -states.pow(2).sum(1, keepdim=True), states + 0.1 * actions
    with torch.no_grad():
        backup = rewards + 0.95 * target.value(after, target.pi(after))
    q_loss = (online.value(states, actions) - backup).pow(2).mean()
    q_optimizer.zero_grad()
    q_loss.backward()
    q_optimizer.step()
    pi_loss = -online.value(states, online.pi(states)).mean()
    pi_optimizer.zero_grad()
    pi_loss.backward()
    pi_optimizer.step()
    with torch.no_grad():
        for p, p_target in zip(online.pi.parameters(), target.pi.parameters(), strict=True):
            p_target.lerp_(p, 0.05)  # fires: W503
