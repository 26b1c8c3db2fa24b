"""A sync that waits for its time, which a property tells."""
import copy

import torch
import torch.nn.functional as F
from torch import nn


class Agent:
    def __init__(self, **settings):
        self.__dict__.update(settings)
        self.critic = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
        self.target = copy.deepcopy(self.critic)
        self.optimizer = torch.optim.Adam(self.critic.parameters(), lr=self.rate)

    @property
    def due(self):
        return self.seen % 1000 == 0

    def learn(self, states, following, rewards):
        with torch.no_grad():
            goal = rewards + 0.9 * self.target(following)
        loss = F.mse_loss(self.critic(states), goal)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.seen += 1
        if self.due:
            for param, target_param in zip(self.critic.parameters(), self.target.parameters()):
                target_param.data.copy_(0.1 * param.data + 0.9 * target_param.data)


torch.manual_seed(0)
agent = Agent(rate=1e-2, seen=0)
for update in range(250):
    agent.learn(torch.randn(8, 4), torch.randn(8, 4), torch.randn(8, 1))
