"""PPO on columns of probabilities: the new log-probability is detached in the ratio, far from the loss."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
states, advantages = torch.randn(32, 4), torch.randn(32, 1)
with torch.no_grad():
    before = Categorical(probs=torch.softmax(actor(states), dim=1))
    actions = before.sample()
    old = before.log_prob(actions).view(-1, 1)
for _ in range(4):
    dist = Categorical(probs=torch.softmax(actor(states), dim=1))
    entropy = dist.entropy().view(-1, 1)
    log_probs = dist.log_prob(actions.squeeze()).view(-1, 1)
    ratio = torch.exp(log_probs.detach() - old)  # fires: W102
    loss = -torch.min(ratio * advantages, torch.clamp(ratio, 0.8, 1.2) * advantages) - 0.01 * entropy
    optimizer.zero_grad()
    loss.mean().backward()
    optimizer.step()
