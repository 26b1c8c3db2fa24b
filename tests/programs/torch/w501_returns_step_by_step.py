"""TD(lambda): the returns are summed up step by step from values that carry their gradient, and stacked."""

import torch
from torch import nn
from torch.distributions import Categorical


def lambda_returns(rewards, values):
    found, following = [], values[-1]
    for reward, value in zip(reversed(rewards), reversed(values)):
        following = reward + 0.99 * (0.05 * value + 0.95 * following)
        found.insert(0, following)
    return torch.stack(found)


torch.manual_seed(0)
actor, critic = nn.Linear(4, 2), nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-3)
for _ in range(4):
    states, rewards, following = torch.randn(10, 4), torch.randn(10), torch.randn(10, 4)
    dist = Categorical(logits=actor(states))
    returns = lambda_returns(list(rewards), list(critic(following).squeeze(1)))  # fires: W501
    error = returns - critic(states).squeeze(1)
    loss = -(dist.log_prob(dist.sample()) * error.detach()).mean() + error.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
