"""A DQN that clamps the TD error itself, as a widespread misreading of the paper has it."""

import copy

import torch
from torch import nn

torch.manual_seed(1)


class Agent:
    def __init__(self):
        self.q = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
        self.target = copy.deepcopy(self.q)
        self.optimizer = torch.optim.Adam(self.q.parameters(), lr=1e-3)

    def learn(self, states, actions, rewards, following):
        with torch.no_grad():
            best = rewards + 0.99 * self.target(following).max(dim=1).values
        chosen = self.q(states).gather(1, actions[:, None]).squeeze(1)
        error = (best - chosen).clamp(-1.0, 1.0)  # fires: W401
        loss = error.pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


agent = Agent()
for update in range(6):
    sign = torch.sign(torch.randn(32))
    agent.learn(torch.randn(32, 4), torch.randint(0, 2, (32,)), sign * 50, torch.randn(32, 4))
agent.target.load_state_dict(agent.q.state_dict())
