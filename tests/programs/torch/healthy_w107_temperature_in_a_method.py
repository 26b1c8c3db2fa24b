"""Both losses are computed before either pass, and the log-probability is a number to the temperature."""
import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.actor, self.critic = nn.Linear(3, 2), nn.Linear(4, 1)
        self.log_alpha = torch.zeros(1, requires_grad=True)
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.alpha_optimizer = torch.optim.Adam([self.log_alpha], lr=1e-3)

    def temperature(self, log_prob):
        loss = -(self.log_alpha * (log_prob + 1.0).detach()).mean()
        return self.log_alpha.exp().detach(), loss

    def policy_loss(self, states, actions, log_prob, alpha):
        return (alpha * log_prob - self.critic(torch.cat([states, actions], 1)).flatten()).mean()

    def train(self, states):
        mean, log_std = self.actor(states).chunk(2, 1)
        policy = torch.distributions.Normal(mean, log_std.exp())
        actions = policy.rsample()
        log_prob = policy.log_prob(actions).sum(1)
        alpha, alpha_loss = self.temperature(log_prob)
        actor_loss = self.policy_loss(states, actions, log_prob, alpha)
        self.alpha_optimizer.zero_grad()
        alpha_loss.backward()
        self.alpha_optimizer.step()
        self.actor_optimizer.zero_grad()
        actor_loss.backward()
        self.actor_optimizer.step()


torch.manual_seed(0)
trainer = Trainer()
for update in range(4):
    trainer.train(torch.randn(32, 3))
