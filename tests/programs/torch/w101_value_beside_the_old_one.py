"""PPO's clipped value loss: the new values run under no_grad; the old ones are stopped, as they should be."""

import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)


def value_loss(states: torch.Tensor, returns: torch.Tensor, old: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        values = critic(states).squeeze(1)  # fires: W101
    clipped = old + (values - old).clamp(-0.2, 0.2)
    return torch.max(nn.functional.mse_loss(values, returns), nn.functional.mse_loss(clipped, returns))


def train(states: torch.Tensor, returns: torch.Tensor) -> None:
    old = critic(states).squeeze(1).detach()
    for _ in range(2):
        loss = value_loss(states, returns, old)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train(torch.randn(8, 3), torch.randn(8))
