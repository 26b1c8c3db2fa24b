"""Twin critics, each with its term; a third term comes by the same place twice, in a loop."""
import torch
from torch import nn
from torch.nn import functional as F


class Twins(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
        self.two = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, x):
        return self.one(x), self.two(x)


torch.manual_seed(0)
critic = Twins()
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for update in range(4):
    x, targets = torch.randn(8, 3), torch.randn(8, 1)
    q1, q2 = critic(x)
    loss = F.mse_loss(q1, targets) + F.mse_loss(q2, targets)
    for weight in (0.1, 0.2):
        loss = loss + weight * F.l1_loss(q1, targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
