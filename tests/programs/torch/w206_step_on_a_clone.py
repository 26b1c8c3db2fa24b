"""A learner whose own update rule changes clones of its weights."""

import torch
from torch import nn


class Learner:
    def __init__(self, rate: float) -> None:
        self.policy = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
        self.rate = rate

    def update(self) -> None:
        for parameter in self.policy.parameters():
            weights = parameter.data.clone()
            weights.add_(parameter.grad, alpha=-self.rate)  # fires: W206

    def learn(self, states: torch.Tensor, actions: torch.Tensor) -> float:
        self.policy.zero_grad()
        loss = nn.functional.cross_entropy(self.policy(states), actions)
        loss.backward()
        self.update()
        return loss.item()


torch.manual_seed(0)
learner = Learner(0.1)
for _ in range(4):
    batch = torch.randn(32, 4)
    learner.learn(batch, (batch[:, 0] > 0).long())
