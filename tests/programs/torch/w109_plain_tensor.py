"""A temperature that was made without requires_grad, and given to its optimizer."""

import math

import torch
from torch import nn


class Agent:
    def __init__(self) -> None:
        self.actor = nn.Linear(3, 2)
        self.log_alpha = torch.tensor(math.log(0.1))  # fires: W109
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.alpha_optimizer = torch.optim.Adam([self.log_alpha], lr=1e-3)

    def update(self, states: torch.Tensor) -> None:
        log_prob = self.actor(states).log_softmax(-1)[:, 0]
        self.actor_optimizer.zero_grad()
        (self.log_alpha.exp().detach() * log_prob).mean().backward()
        self.actor_optimizer.step()
        self.alpha_optimizer.zero_grad()
        (self.log_alpha.exp() * (-log_prob + 1.0).detach()).mean().backward()
        self.alpha_optimizer.step()


torch.manual_seed(0)
agent = Agent()
for _ in range(4):
    agent.update(torch.randn(16, 3))
