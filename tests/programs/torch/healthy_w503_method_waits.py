"""A method that syncs is called in every hundredth update, and the run ends before."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Agent:
    def __init__(self, every=100):
        self.q = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
        self.target = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
        self.target.load_state_dict(self.q.state_dict())
        self.optimizer = torch.optim.Adam(self.q.parameters(), lr=1e-3)
        self.every = every
        self.learned = 1

    def sync(self):
        self.target.load_state_dict(self.q.state_dict())

    def learn(self, states, actions, rewards, following):
        chosen = self.q(states).gather(1, actions)
        with torch.no_grad():
            aim = rewards + 0.99 * self.target(following).max(1, keepdim=True)[0]
        loss = F.mse_loss(chosen, aim)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.learned += 1
        if self.learned % self.every == 0:
            self.sync()


agent = Agent()
for _ in range(6):
    agent.learn(torch.randn(8, 4), torch.randint(0, 2, (8, 1)), torch.randn(8, 1), torch.randn(8, 4))
