"""Two faults in one agent: the action is stopped, and the encoder belongs to no optimizer."""
import torch
from torch import nn
from torch.nn import functional as F


class Agent:
    def __init__(self):
        self.encoder = nn.Linear(6, 8)
        self.actor = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))
        self.critic = nn.Sequential(nn.Linear(9, 8), nn.ReLU(), nn.Linear(8, 1))
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), lr=1e-3)  # fires: W201

    def update(self, observations, actions, returns):
        features = torch.tanh(self.encoder(observations))
        critic_loss = F.mse_loss(self.critic(torch.cat([features, actions], dim=1)), returns)
        self.critic_opt.zero_grad()
        critic_loss.backward()
        self.critic_opt.step()
        features = features.detach()
        action = self.actor(features).data  # fires: W102
        actor_loss = -self.critic(torch.cat([features, action], dim=1)).mean()
        self.actor_opt.zero_grad()
        actor_loss.backward()
        self.actor_opt.step()


torch.manual_seed(0)
agent = Agent()
for step in range(5):
    agent.update(torch.randn(8, 6), torch.rand(8, 1), torch.randn(8, 1))
