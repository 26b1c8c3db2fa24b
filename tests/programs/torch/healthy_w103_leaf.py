"""REINFORCE with the log-probabilities kept as they are."""

import torch
from torch import nn
from torch.distributions import Categorical


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
        self.steps = []

    def act(self, state):
        dist = Categorical(logits=self.policy(state))
        action = dist.sample()
        log_prob = dist.log_prob(action)
        self.steps.append(log_prob)
        return action.item()


torch.manual_seed(0)
agent = Agent()
optimizer = torch.optim.Adam(agent.parameters(), lr=1e-2)
for _ in range(5):
    state, rewards = torch.randn(4), []
    for _ in range(6):
        action = agent.act(state)
        state = 0.9 * state + 0.1 * torch.randn(4)
        rewards.append(float(action == int(state[0] > 0)))
    loss = -sum(log_prob * sum(rewards[t:]) for t, log_prob in enumerate(agent.steps))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    agent.steps = []
