"""A recurrent policy learns from pieces of a rollout: each begins with a state that still hangs on the piece before."""

import torch
from torch import nn
import torch.nn.functional as F


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.LSTM(4, 8), nn.Linear(8, 2)

    def forward(self, x, state):
        x, state = self.cell(x, state)
        return self.head(x), state


class Agent:
    def __init__(self):
        self.net, self.kept = Policy(), []
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=1e-2)

    def learn(self):
        states, goals, before = zip(*self.kept)
        self.kept = []
        for _ in range(2):
            made, _ = self.net(torch.cat(states), before[0])
            loss = F.mse_loss(made, torch.cat(goals))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


def main():
    torch.manual_seed(0)
    agent = Agent()
    state = (torch.zeros(1, 1, 8), torch.zeros(1, 1, 8))
    for _ in range(4):
        for _ in range(5):
            x, before = torch.randn(1, 1, 4), state
            action, state = agent.net(x, before)  # fires: W107
            agent.kept.append((x, x[..., :2] - action.detach(), before))
        agent.learn()


main()
