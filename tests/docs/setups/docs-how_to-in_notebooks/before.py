"""A policy whose step goes through an index."""

import torch
from torch import nn

policy = nn.Linear(3, 2)
critic = nn.Linear(4, 1)
optimizer = torch.optim.Adam([*policy.parameters(), *critic.parameters()])
states, actions = torch.randn(8, 3), torch.randint(0, 2, (8,))


def train_step(states, actions):
    chosen = policy(states).argmax(1, keepdim=True).float()
    loss = -critic(torch.cat([states, chosen], 1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
