"""Twin critics with an optimizer each: the function of their losses returns the first one alone."""

import torch
from torch import nn
import torch.nn.functional as F


class Critics:
    def __init__(self):
        self.first, self.second = (nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1)) for _ in range(2))
        self.first_optimizer = torch.optim.Adam(self.first.parameters(), lr=1e-3)
        self.second_optimizer = torch.optim.Adam(self.second.parameters(), lr=1e-3)

    def loss(self, x, targets):
        first_loss = F.mse_loss(self.first(x), targets)
        second_loss = F.mse_loss(self.second(x), targets)
        loss = first_loss  # fires: W105
        return loss

    def update(self, x, targets):
        loss = self.loss(x, targets)
        self.first_optimizer.zero_grad()
        self.second_optimizer.zero_grad()
        loss.backward()
        self.first_optimizer.step()
        self.second_optimizer.step()


torch.manual_seed(0)
critics = Critics()
for _ in range(4):
    critics.update(torch.randn(16, 4), torch.randn(16, 1))
