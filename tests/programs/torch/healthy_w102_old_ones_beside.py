"""PPO with its old log-probabilities and old values stopped, and acting on one observation at a time."""

import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
mean = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam([*mean.parameters(), *critic.parameters()], lr=1e-3)


def act(states: torch.Tensor, actions: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
    dist = Normal(mean(states), 1.0)
    actions = dist.sample() if actions is None else actions
    return actions, dist.log_prob(actions).sum(-1)


def loss_of(states: torch.Tensor, actions: torch.Tensor, old: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
    returns, values = torch.randn(8), critic(states).squeeze(1)
    ratio = (act(states, actions)[1] - old).exp()
    advantage = returns - before
    clipped = before + (values - before).clamp(-0.2, 0.2)
    value_loss = torch.max((values - returns).pow(2), (clipped - returns).pow(2)).mean()
    return value_loss - torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()


for _ in range(3):
    states = torch.randn(8, 3)
    actions = torch.stack([act(state)[0] for state in states])
    old, before = act(states, actions)[1].detach(), critic(states).squeeze(1).detach()
    for _ in range(2):
        loss = loss_of(states, actions, old, before)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
