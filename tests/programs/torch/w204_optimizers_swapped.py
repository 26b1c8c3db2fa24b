"""Actor-critic: the two optimizers were given each other's parameters."""

import torch
from torch import nn
from torch.distributions import Categorical


class ActorCritic:
    def __init__(self):
        self.actor = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
        self.critic = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
        self.actor_optim = torch.optim.Adam(self.critic.parameters(), lr=1e-3)  # fires: W204
        self.critic_optim = torch.optim.Adam(self.actor.parameters(), lr=1e-3)

    def update(self, s, a, r, s2):
        v = self.critic(s).squeeze(-1)
        with torch.no_grad():
            y = r + 0.9 * self.critic(s2).squeeze(-1)
        logp = Categorical(logits=self.actor(s)).log_prob(a)
        actor_loss = -(logp * (y - v).detach()).mean()
        critic_loss = (y - v).pow(2).mean()
        self.actor_optim.zero_grad()
        actor_loss.backward()
        self.actor_optim.step()
        self.critic_optim.zero_grad()
        critic_loss.backward()
        self.critic_optim.step()


torch.manual_seed(0)
ac = ActorCritic()
for _ in range(10):
    s = torch.randn(16, 4)
    ac.update(s, torch.randint(0, 2, (16,)), torch.rand(16), s + 0.1 * torch.randn(16, 4))
