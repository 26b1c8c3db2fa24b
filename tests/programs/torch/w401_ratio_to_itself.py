"""PPO with an entropy bonus: the ratio is that of the new policy to itself, and only the bonus trains."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
states, advantages = torch.randn(32, 4), torch.randn(32)
actions = torch.randint(0, 3, (32,))
for _ in range(4):
    dist = Categorical(logits=actor(states))
    log_probs = dist.log_prob(actions)
    ratio = torch.exp(log_probs - log_probs)  # fires: W401
    surrogate = torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages)
    loss = -surrogate.mean() - 0.01 * dist.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
