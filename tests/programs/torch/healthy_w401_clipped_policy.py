"""PPO with its clipped ratio, rewards that are still zero in the first games, and a hinge loss that is satisfied."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
margin = nn.Linear(4, 1)
optimizer = torch.optim.Adam(policy.parameters(), lr=3e-3)
margin_optimizer = torch.optim.SGD(margin.parameters(), lr=0.1)

for game in range(4):
    states = torch.randn(32, 4)
    with torch.no_grad():
        old = Categorical(logits=policy(states))
        actions = old.sample()
        old_log_probs = old.log_prob(actions)
    advantages = torch.zeros(32) if game < 2 else torch.randn(32)
    for epoch in range(3):
        ratio = (Categorical(logits=policy(states)).log_prob(actions) - old_log_probs).exp()
        clipped = ratio.clamp(0.8, 1.2)
        loss = -torch.min(ratio * advantages, clipped * advantages).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    margin_loss = (margin(states).abs() - 50.0).clamp(min=0).mean()
    margin_optimizer.zero_grad()
    margin_loss.backward()
    margin_optimizer.step()
