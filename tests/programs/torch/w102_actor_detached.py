"""DDPG in a class: Q is detached in the actor loss "to leave the critic alone"."""
import torch
from torch import nn
from torch.nn import functional as F


class Agent:
    def __init__(self):
        self.actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
        self.critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), lr=1e-3)
        self.entropy_weight = nn.Parameter(torch.zeros(1))
        self.actor_opt.add_param_group({"params": [self.entropy_weight]})

    def update(self, states, actions, returns):
        critic_loss = F.mse_loss(self.critic(torch.cat([states, actions], dim=1)), returns)
        self.critic_opt.zero_grad()
        critic_loss.backward()
        self.critic_opt.step()

        chosen = self.actor(states).detach()  # fires: W102
        q = self.critic(torch.cat([states, chosen], dim=1))
        actor_loss = -(q * self.entropy_weight.exp()).mean()
        self.actor_opt.zero_grad()
        actor_loss.backward()
        self.actor_opt.step()


torch.manual_seed(0)
agent = Agent()
for step in range(5):
    agent.update(torch.randn(8, 3), torch.rand(8, 1), torch.randn(8, 1))
