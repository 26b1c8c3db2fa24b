"""The log-probability slipped into the block of its weights: the policy's own action in there is no fault."""
import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for update in range(4):
    states, actions, targets = torch.randn(16, 4), torch.rand(16, 2), torch.randn(16, 1)
    critic_loss = (critic(torch.cat([states, actions], 1)) - targets).pow(2).mean()
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    with torch.no_grad():
        own = Normal(actor(states), 1.0).sample()
        gain = critic(torch.cat([states, actions], 1)) - critic(torch.cat([states, own], 1))
        weights = torch.exp(gain).clamp(max=100.0)
        log_prob = Normal(actor(states), 1.0).log_prob(actions).sum(1, keepdim=True)  # fires: W101
    loss = (-log_prob * weights).mean()
    actor_optimizer.zero_grad()
    loss.requires_grad_()
    loss.backward()
    actor_optimizer.step()
