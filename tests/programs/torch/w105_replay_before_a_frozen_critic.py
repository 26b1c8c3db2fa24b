"""DDPG with the critic frozen for the actor's loss, which is computed with the actions of the replay."""

import numpy as np
import torch
from torch import nn


class Agent:
    def __init__(self):
        self.actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
        self.critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters(), lr=1e-3)
        self.states, self.actions = np.zeros((64, 3)), np.zeros((64, 1))

    def act(self, state):
        return self.actor(torch.tensor(state, dtype=torch.float)).data.numpy()

    def learn(self, index):
        states = torch.tensor(self.states[index], dtype=torch.float)
        actions = torch.tensor(self.actions[index], dtype=torch.float)
        critic_loss = (self.critic(torch.cat([states, actions], 1)) - states[:, :1]).pow(2).mean()
        self.critic_optimizer.zero_grad()
        critic_loss.backward()
        self.critic_optimizer.step()
        self.critic.requires_grad_(False)
        actor_loss = -self.critic(torch.cat([states, actions], 1)).mean()  # fires: W105
        self.actor_optimizer.zero_grad()
        try:
            actor_loss.backward()
        except RuntimeError as refused:
            print(refused)
        self.actor_optimizer.step()
        self.critic.requires_grad_(True)


torch.manual_seed(0)
rng, agent = np.random.default_rng(0), Agent()
for step in range(64):
    agent.states[step] = rng.normal(size=3)
    agent.actions[step] = agent.act(agent.states[step])
for _ in range(3):
    agent.learn(rng.integers(0, 64, 16))
