"""PPO-like: one loss for both networks, and an optimizer with the actor alone."""
import torch
from torch import nn
from torch.distributions import Categorical
from torch.nn import functional as F


class Trainer:
    def __init__(self):
        self.actor = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
        self.critic = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
        self.optimizer = torch.optim.Adam(self.actor.parameters(), lr=1e-3)  # fires: W201

    def update(self, states, actions, returns):
        dist = Categorical(logits=self.actor(states))
        values = self.critic(states).squeeze(1)
        policy_loss = -(dist.log_prob(actions) * (returns - values).detach()).mean()
        loss = policy_loss + 0.5 * F.mse_loss(values, returns)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


torch.manual_seed(0)
trainer = Trainer()
for step in range(5):
    trainer.update(torch.randn(8, 4), torch.randint(2, (8,)), torch.randn(8))
