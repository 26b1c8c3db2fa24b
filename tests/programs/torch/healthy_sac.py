"""SAC with a learned temperature: three optimizers, a target network, the entropy term stopped for alpha."""
import copy

import torch
from torch import nn
from torch.distributions import Normal
from torch.nn import functional as F


class Agent:
    def __init__(self):
        self.actor = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
        self.critic = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
        self.target = copy.deepcopy(self.critic)
        self.log_alpha = torch.zeros(1, requires_grad=True)
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), lr=1e-3)
        self.alpha_opt = torch.optim.Adam([self.log_alpha], lr=1e-3)

    def draw(self, states):
        mean, log_std = self.actor(states).chunk(2, dim=1)
        dist = Normal(mean, log_std.exp())
        action = dist.rsample()
        return torch.tanh(action), dist.log_prob(action)

    def update(self, states, actions, rewards, following):
        with torch.no_grad():
            chosen, log_prob = self.draw(following)
            value = self.target(torch.cat([following, chosen], dim=1)) - self.log_alpha.exp() * log_prob
            wanted = rewards + 0.99 * value
        critic_loss = F.mse_loss(self.critic(torch.cat([states, actions], dim=1)), wanted)
        chosen, log_prob = self.draw(states)
        self.step(self.critic_opt, critic_loss)
        q = self.critic(torch.cat([states, chosen], dim=1))
        self.step(self.actor_opt, (self.log_alpha.exp().detach() * log_prob - q).mean())
        self.step(self.alpha_opt, -(self.log_alpha * (log_prob.detach() - 1.0)).mean())
        for old, new in zip(self.target.parameters(), self.critic.parameters()):
            old.data.lerp_(new.data, 0.01)

    def step(self, optimizer, loss):
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
agent = Agent()
for step in range(5):
    agent.update(torch.randn(8, 3), torch.rand(8, 1), torch.randn(8, 1), torch.randn(8, 3))
