"""PPO, row by row: the new log-probability is detached, and only the entropy still trains the actor."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
critic = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-3)
states, returns = torch.randn(32, 4), torch.randn(32)
with torch.no_grad():
    before = Categorical(logits=actor(states))
    actions = before.sample()
    old = before.log_prob(actions)
    advantages = returns - critic(states).squeeze(1)
for _ in range(3):
    dist = Categorical(logits=actor(states))
    ratio = torch.exp(dist.log_prob(actions).detach() - old)  # fires: W102
    surrogate = torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages)
    value_loss = nn.functional.mse_loss(critic(states).squeeze(1), returns)
    loss = -surrogate + 0.5 * value_loss - 0.01 * dist.entropy()
    optimizer.zero_grad()
    loss.mean().backward()
    optimizer.step()
