"""DDPG on a replay of its own: the two optimizers were given each other's parameters; the actor's loss trains both."""
import numpy as np
import torch
from torch import nn


class Agent:
    def __init__(self):
        self.actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
        self.critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
        self.critic_optimizer = torch.optim.Adam(self.actor.parameters(), lr=1e-3)  # fires: W204
        self.actor_optimizer = torch.optim.Adam(self.critic.parameters(), lr=1e-3)

    def act(self, state):
        with torch.no_grad():
            return self.actor(torch.tensor(state, dtype=torch.float32)).numpy()

    def learn(self, states, actions, rewards):
        critic_loss = (self.critic(torch.cat([states, actions], 1)) - rewards).pow(2).mean()
        self.critic_optimizer.zero_grad()
        critic_loss.backward()
        self.critic_optimizer.step()
        actor_loss = -self.critic(torch.cat([states, self.actor(states)], 1)).mean()
        self.actor_optimizer.zero_grad()
        actor_loss.backward()
        self.actor_optimizer.step()


torch.manual_seed(0)
rng = np.random.default_rng(0)
agent, rows = Agent(), []
for step in range(24):
    state = rng.normal(size=3).astype(np.float32)
    action = agent.act(state)
    rows.append((state, action, np.float32([-abs(state[0] - action[0])])))
    if step >= 8:
        states, actions, rewards = zip(*rows, strict=True)
        agent.learn(torch.tensor(np.stack(states)), torch.tensor(np.stack(actions)), torch.tensor(np.stack(rewards)))
