"""REINFORCE on a Gaussian policy; the action is drawn with rsample and keeps its gradient."""
import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
mean, log_std = nn.Linear(3, 1), nn.Parameter(torch.zeros(1))
optimizer = torch.optim.Adam([*mean.parameters(), log_std], lr=1e-2)
for episode in range(5):
    states = torch.randn(20, 3)
    policy = Normal(mean(states), log_std.exp())
    actions = policy.rsample()  # fires: W505
    rewards = -((actions.detach() - 1.0) ** 2)
    loss = -(policy.log_prob(actions) * (rewards - rewards.mean())).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
