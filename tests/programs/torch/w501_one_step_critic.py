"""An actor-critic that learns from one transition at a time; its TD error carries a gradient on both sides."""
import torch
from torch import nn
from torch.distributions import Categorical


class Agent:
    def __init__(self):
        self.actor = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
        self.critic = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
        self.optimizer = torch.optim.Adam([*self.actor.parameters(), *self.critic.parameters()], lr=1e-3)

    def learn(self, state, reward, following, over):
        dist = Categorical(logits=self.actor(state))
        action = dist.sample()
        value, next_value = self.critic(state), self.critic(following)
        target = reward + 0.95 * next_value * (1 - over)  # fires: W501
        error = target - value
        loss = error.pow(2) - dist.log_prob(action) * error.detach()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


torch.manual_seed(1)
agent = Agent()
for step in range(5):
    agent.learn(torch.randn(3), 1.0 + 0.1 * step, torch.randn(3), step == 4)
