"""Offline RL: the advantage weighs the policy's loss with the graph of the value loss still on it."""

import torch
from torch import nn

torch.manual_seed(0)
value, policy = nn.Linear(4, 1), nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
critic = nn.Linear(4, 1)
optimizers = {net: torch.optim.Adam(net.parameters(), lr=1e-3) for net in (value, critic, policy)}


def update(net, loss):
    optimizers[net].zero_grad()
    loss.backward()
    optimizers[net].step()


for _ in range(3):
    states, actions, q_values = torch.randn(32, 4), torch.randn(32, 2), torch.randn(32, 1)
    advantage = q_values - value(states)
    update(value, advantage.pow(2).mean())
    update(critic, (critic(states) - q_values).pow(2).mean())
    weight = torch.exp(3.0 * advantage).clamp(max=100.0)  # fires: W107
    policy_loss = (weight * (policy(states) - actions).pow(2)).mean()
    optimizers[policy].zero_grad()
    policy_loss.backward()
    optimizers[policy].step()
