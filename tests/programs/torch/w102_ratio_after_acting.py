"""PPO whose ratio is detached; acting on one observation at a time gives log-probabilities that nothing uses."""

import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)


class Policy(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mean = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
        self.log_std = nn.Parameter(torch.zeros(2))

    def forward(self, states: torch.Tensor, actions: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
        dist = Normal(self.mean(states), self.log_std.exp())
        actions = dist.sample() if actions is None else actions
        return actions, dist.log_prob(actions).sum(-1)


policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)


def loss_of(states: torch.Tensor, actions: torch.Tensor, old: torch.Tensor, advantage: torch.Tensor) -> torch.Tensor:
    ratio = (policy(states, actions)[1] - old).exp().detach()  # fires: W102
    return -torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()


for _ in range(3):
    states = torch.randn(8, 3)
    actions = torch.stack([policy(state)[0] for state in states])
    old = policy(states, actions)[1].detach()
    for _ in range(2):
        loss = loss_of(states, actions, old, torch.randn(8))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
