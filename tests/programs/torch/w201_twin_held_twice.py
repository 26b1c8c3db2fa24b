"""Twin critics: the optimizer of the second one was given the first, and the second learns nothing."""

import torch
from torch import nn
from torch.nn import functional as F


def network(inputs: int) -> nn.Module:
    return nn.Sequential(nn.Linear(inputs, 16), nn.ReLU(), nn.Linear(16, 1))


torch.manual_seed(0)
actor, first, second, value = network(3), network(4), network(4), network(3)
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
first_optimizer = torch.optim.Adam(first.parameters(), lr=1e-3)
second_optimizer = torch.optim.Adam(first.parameters(), lr=1e-3)  # fires: W201
value_optimizer = torch.optim.Adam(value.parameters(), lr=1e-3)
for _ in range(6):
    states, actions, goals = torch.randn(16, 3), torch.rand(16, 1), torch.randn(16, 1)
    stored, now = torch.cat([states, actions], dim=1), torch.cat([states, torch.tanh(actor(states))], dim=1)
    best = torch.min(first(now), second(now))
    value_loss = F.mse_loss(value(states), best.detach())
    first_loss, second_loss = F.mse_loss(first(stored), goals), F.mse_loss(second(stored), goals)
    actor_optimizer.zero_grad()
    (-best.mean()).backward()
    actor_optimizer.step()
    for optimizer, loss in ((first_optimizer, first_loss), (value_optimizer, value_loss)):
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    second_optimizer.zero_grad()
    second_loss.backward()
    second_optimizer.step()
