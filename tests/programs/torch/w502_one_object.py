"""A DQN agent whose target network is the online network under another name."""
import torch
from torch import nn
import torch.nn.functional as F


class Agent:
    def __init__(self):
        self.online = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
        self.target = self.online  # fires: W502
        self.optimizer = torch.optim.Adam(self.online.parameters(), lr=1e-3)

    def learn(self, states, actions, rewards, following):
        q = self.online(states).gather(1, actions).squeeze(1)
        with torch.no_grad():
            goal = rewards + 0.99 * self.target(following).max(dim=1).values
        loss = F.smooth_l1_loss(q, goal)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def sync(self):
        self.target.load_state_dict(self.online.state_dict())


torch.manual_seed(0)
agent = Agent()
for update in range(6):
    agent.learn(torch.randn(16, 4), torch.randint(0, 2, (16, 1)), torch.randn(16), torch.randn(16, 4))
    if update % 2 == 1:
        agent.sync()
