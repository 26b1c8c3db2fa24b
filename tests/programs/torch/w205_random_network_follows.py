"""Random network distillation: the optimizer was given the fixed network as well."""

import torch
from torch import nn


class Bonus(nn.Module):
    def __init__(self, size=6, features=8):
        super().__init__()
        self.predictor = nn.Sequential(nn.Linear(size, 32), nn.ReLU(), nn.Linear(32, features))
        self.fixed = nn.Sequential(nn.Linear(size, 32), nn.ReLU(), nn.Linear(32, features))

    def forward(self, states):
        return (self.predictor(states) - self.fixed(states)).pow(2).mean(1)


torch.manual_seed(0)
bonus = Bonus()
policy = nn.Linear(6, 3)
optimizer = torch.optim.Adam([*policy.parameters(), *bonus.parameters()], lr=1e-3)  # fires: W205
for _ in range(8):
    states = torch.randn(32, 6)
    surprise = bonus(states)
    dist = torch.distributions.Categorical(logits=policy(states))
    actions = dist.sample()
    weight = (surprise - surprise.mean()).detach()
    loss = surprise.mean() - (dist.log_prob(actions) * weight).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
