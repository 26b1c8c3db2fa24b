"""A sync copies the weights and then binds the target's name to the online network: one copy, and one network since."""
import torch
from torch import nn
import torch.nn.functional as F


def build():
    return nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))


class Agent:
    def __init__(self):
        self.online, self.target = build(), build()
        self.optimizer = torch.optim.Adam(self.online.parameters(), lr=1e-3)

    def learn(self, states, actions, rewards, following):
        q = self.online(states).gather(1, actions).squeeze(1)
        best = self.online(following).argmax(dim=1, keepdim=True)
        goal = rewards + 0.99 * self.target(following).gather(1, best).squeeze(1).detach()
        loss = F.smooth_l1_loss(q, goal)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def sync(self):
        self.target.load_state_dict(self.online.state_dict())
        self.target = self.online  # fires: W502


torch.manual_seed(0)
agent = Agent()
for update in range(12):
    agent.learn(torch.randn(16, 4), torch.randint(0, 2, (16, 1)), torch.randn(16), torch.randn(16, 4))
    if update % 3 == 2:
        agent.sync()
