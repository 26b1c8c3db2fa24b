"""A DQN agent whose target is a shallow copy: a new object around the same layers."""
import copy

import torch
from torch import nn

torch.manual_seed(0)


class Agent:
    def __init__(self):
        self.online = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 2))
        self.target = copy.copy(self.online)  # fires: W502
        self.optimizer = torch.optim.Adam(self.online.parameters(), lr=1e-3)

    def learn(self, states, actions, rewards, following):
        with torch.no_grad():
            goal = rewards + 0.95 * self.target(following).max(dim=1).values
        chosen = self.online(states).gather(1, actions[:, None]).squeeze(1)
        loss = (chosen - goal).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


agent = Agent()
for update in range(6):
    agent.learn(torch.randn(16, 4), torch.randint(0, 2, (16,)), torch.randn(16), torch.randn(16, 4))
    if update % 2 == 1:
        agent.target.load_state_dict(agent.online.state_dict())
