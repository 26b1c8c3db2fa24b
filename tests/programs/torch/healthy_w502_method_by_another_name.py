"""Double DQN: a method that is given the network is called by two names; the networks are two."""

import copy

import torch
from torch import nn

torch.manual_seed(0)


class Agent:
    def __init__(self):
        self.online = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
        self.target = copy.deepcopy(self.online)
        self.optimizer = torch.optim.Adam(self.online.parameters(), lr=1e-3)

    def values(self, net, states):
        return net(states / 2.0)

    def learn(self, step):
        states, following = torch.randn(32, 4), torch.randn(32, 4)
        actions, rewards = torch.randint(0, 2, (32, 1)), torch.randn(32, 1)
        values = self.values
        predicted = values(self.online, states).gather(1, actions)
        with torch.no_grad():
            best = self.values(self.online, following).argmax(dim=1, keepdim=True)
            wanted = rewards + 0.99 * self.values(self.target, following).gather(1, best)
        loss = nn.functional.mse_loss(predicted, wanted)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        if step % 5 == 0:
            self.target.load_state_dict(self.online.state_dict())


agent = Agent()
for step in range(12):
    agent.learn(step)
