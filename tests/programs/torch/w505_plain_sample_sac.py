"""Soft actor-critic whose actor draws a plain sample: only its entropy is trained."""
import torch
from torch import nn
from torch.distributions import Normal


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 32), nn.ReLU())
        self.mean, self.log_std = nn.Linear(32, 1), nn.Linear(32, 1)

    def forward(self, states):
        features = self.body(states)
        dist = Normal(self.mean(features), self.log_std(features).clamp(-5, 2).exp())
        raw = dist.sample()  # fires: W505
        log_prob = dist.log_prob(raw) - torch.log(1 - torch.tanh(raw) ** 2 + 1e-6)
        return torch.tanh(raw), log_prob


torch.manual_seed(0)
actor = Actor()
critic = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=3e-4)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=3e-4)
for update in range(5):
    states, rewards = torch.randn(16, 3), torch.randn(16, 1)
    with torch.no_grad():
        played, _ = actor(states)
    critic_loss = (critic(torch.cat([states, played], dim=1)) - rewards).pow(2).mean()
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    actions, log_prob = actor(states)
    actor_loss = (0.2 * log_prob - critic(torch.cat([states, actions], dim=1))).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
