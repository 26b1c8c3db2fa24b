"""One loss for an actor and a critic with an optimizer each: the critic's is cleared between the pass and the steps."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(4):
    states, returns = torch.randn(16, 4), torch.randn(16)
    dist = Categorical(logits=actor(states))
    values = critic(states).squeeze(1)
    log_probs = dist.log_prob(dist.sample())
    loss = -(log_probs * (returns - values.detach())).mean() + 0.5 * (returns - values).pow(2).mean()
    actor_optimizer.zero_grad()
    loss.backward()
    critic_optimizer.zero_grad()  # fires: W301
    actor_optimizer.step()
    critic_optimizer.step()
