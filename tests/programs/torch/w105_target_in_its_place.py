"""DQN whose prediction is made by the target: the network that is to be trained only acts."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class Agent:
    def __init__(self) -> None:
        self.local, self.target = (nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2)) for _ in range(2))
        self.optimizer = torch.optim.Adam(self.local.parameters(), lr=1e-3)

    def act(self, state: torch.Tensor) -> int:
        with torch.no_grad():
            values = self.local(state)
        return int(np.argmax(values.cpu().numpy()))

    def learn(self, states: torch.Tensor, actions: torch.Tensor, rewards: torch.Tensor, after: torch.Tensor) -> None:
        best = self.target(after).detach().max(dim=1)[0].unsqueeze(1)
        expected = self.target(states).gather(1, actions)  # fires: W105
        loss = F.mse_loss(expected, rewards + 0.9 * best)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        for p, p_target in zip(self.local.parameters(), self.target.parameters(), strict=True):
            p_target.data.copy_(0.01 * p.data + 0.99 * p_target.data)


torch.manual_seed(0)
agent = Agent()
for _ in range(6):
    states = torch.randn(16, 4)
    actions = torch.tensor([[agent.act(state)] for state in states])
    agent.learn(states, actions, torch.randn(16, 1), torch.randn(16, 4))
