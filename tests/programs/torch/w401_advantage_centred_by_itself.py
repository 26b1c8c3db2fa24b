"""PPO: a column of advantages is centred along its rows, each by itself, long before the updates that use it."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
actor, critic = nn.Linear(4, 2), nn.Linear(4, 1)
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-3)
states, returns = torch.randn(64, 4), torch.randn(64, 1)
with torch.no_grad():
    old = Categorical(logits=actor(states))
    actions = old.sample()
    old_log_probs = old.log_prob(actions).view(-1, 1)
    advantage = returns - critic(states)
    advantage = (advantage - advantage.mean(dim=1, keepdim=True)) / (advantage.std() + 1e-5)  # fires: W401
for update in range(40):
    rows = torch.randperm(64)[:16]
    policy = Categorical(logits=actor(states[rows]))
    ratio = torch.exp(policy.log_prob(actions[rows]).view(-1, 1) - old_log_probs[rows])
    surrogate = torch.min(ratio * advantage[rows], ratio.clamp(0.8, 1.2) * advantage[rows])
    value_loss = (critic(states[rows]) - returns[rows]).pow(2).mean()
    loss = (-surrogate - 0.01 * policy.entropy().view(-1, 1)).mean() + value_loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
