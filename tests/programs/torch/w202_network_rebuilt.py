"""reset() makes a new network; the optimizer keeps the first one."""
import torch
from torch import nn
from torch.nn import functional as F


class Learner:
    def __init__(self):
        self.net = self.build()
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=1e-3)

    def build(self):
        return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))

    def reset(self):
        self.net = self.build()  # fires: W202

    def update(self, states, targets):
        loss = F.mse_loss(self.net(states), targets)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


torch.manual_seed(0)
learner = Learner()
learner.reset()
for step in range(4):
    learner.update(torch.randn(8, 4), torch.randn(8, 2))
