"""REINFORCE with one return for each step; the action is mean plus noise and carries its gradient along."""
import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(3, 2)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)


def log_density(action, mean, variance):
    return -((action - mean) ** 2) / (2 * variance) - 0.5 * torch.log(variance)


for episode in range(5):
    chances, rewards = [], []
    for step in range(6):
        mean, spread = policy(torch.randn(1, 3)).chunk(2, dim=1)
        variance = nn.functional.softplus(spread)
        action = mean + variance.sqrt() * torch.randn(1, 1)  # fires: W505
        chances.append(log_density(action, mean, variance))
        rewards.append(-float(action.detach() ** 2))
    total, loss = torch.zeros(1, 1), 0.0
    for chance, reward in zip(reversed(chances), reversed(rewards), strict=True):
        total = reward + 0.99 * total
        loss = loss - (chance * total.expand_as(chance)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
