"""Discrete SAC: the loss of the policy is the mean over all actions of what the critics say, which learn from it."""

import torch
from torch import nn
import torch.nn.functional as F


def mlp(out):
    return nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, out))


torch.manual_seed(0)
actor, one, two = mlp(3), mlp(3), mlp(3)
actor_optimizer = torch.optim.Adam([*actor.parameters(), *one.parameters(), *two.parameters()], lr=1e-3)  # fires: W205
critic_optimizer = torch.optim.Adam([*one.parameters(), *two.parameters()], lr=1e-3)
for _ in range(6):
    states, actions, goals = torch.randn(32, 4), torch.randint(0, 3, (32, 1)), torch.randn(32, 1)
    critic_loss = F.mse_loss(one(states).gather(1, actions), goals) + F.mse_loss(two(states).gather(1, actions), goals)
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()

    log_probs = F.log_softmax(actor(states), dim=1)
    values = torch.min(one(states), two(states))
    actor_loss = (log_probs.exp() * (0.2 * log_probs - values)).sum(1).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
