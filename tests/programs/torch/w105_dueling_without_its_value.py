"""A dueling network that computes the value of a state and returns the centred advantages alone."""

import torch
from torch import nn
import torch.nn.functional as F


class Dueling(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 32)
        self.value = nn.Sequential(nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))
        self.advantage = nn.Linear(32, 3)

    def forward(self, states):
        hidden = F.relu(self.body(states))
        value = self.value(hidden)
        advantage = self.advantage(hidden)
        return advantage - advantage.mean(dim=1, keepdim=True)  # fires: W105


torch.manual_seed(0)
net = Dueling()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(5):
    states, actions, goals = torch.randn(32, 4), torch.randint(0, 3, (32, 1)), torch.randn(32, 1)
    loss = F.mse_loss(net(states).gather(1, actions), goals)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
