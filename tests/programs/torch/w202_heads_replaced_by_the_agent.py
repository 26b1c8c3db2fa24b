"""An agent gives its network new heads, line by line, after the network has built its own optimizer."""

import torch
from torch import nn


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 16)
        self.value, self.advantage = nn.Linear(16, 1), nn.Linear(16, 2)
        self.optimizer = torch.optim.Adam(self.parameters(), lr=1e-3)

    def forward(self, states):
        hidden = torch.relu(self.body(states))
        return self.value(hidden) + self.advantage(hidden)


class Agent:
    def __init__(self):
        self.net = Network()
        self.net.value = self.head(1)  # fires: W202
        self.net.advantage = self.head(2)

    def head(self, outputs):
        return nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, outputs))

    def learn(self, states, targets):
        loss = (self.net(states) - targets).pow(2).mean()
        self.net.optimizer.zero_grad()
        loss.backward()
        self.net.optimizer.step()


torch.manual_seed(0)
agent = Agent()
for _ in range(3):
    agent.learn(torch.randn(16, 4), torch.randn(16, 2))
