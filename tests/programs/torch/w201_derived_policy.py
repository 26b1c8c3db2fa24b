"""A policy of a class that is derived from the value network's, and that no optimizer holds: it is no hidden part."""

import torch
from torch import nn


class Body(nn.Module):
    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.hidden, self.out = nn.Linear(4, 16), nn.Linear(16, outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(torch.tanh(self.hidden(x)))


class Policy(Body):
    def __init__(self, actions: int) -> None:
        super().__init__(actions)
        self.actions = actions


torch.manual_seed(0)
value, policy = Body(1), Policy(3)
optimizer = torch.optim.Adam(value.parameters(), lr=1e-2)  # fires: W201
for _ in range(5):
    states, actions, returns = torch.randn(32, 4), torch.randint(0, 3, (32,)), torch.randn(32)
    said = value(states).squeeze(1)
    log_prob = policy(states).log_softmax(-1).gather(1, actions[:, None]).squeeze(1)
    loss = (said - returns).pow(2).mean() - (log_prob * returns).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
