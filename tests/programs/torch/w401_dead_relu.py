"""A value network whose second layer begins with a large negative bias: no unit is ever on."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class ValueNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 32)
        self.fc2 = nn.Linear(32, 16)
        self.out = nn.Linear(16, 1)
        nn.init.constant_(self.fc2.bias, -20.0)

    def forward(self, x):
        h = F.relu(self.fc1(x))
        h = F.relu(self.fc2(h))  # fires: W401
        return self.out(h)


net = ValueNet()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
states, returns = torch.randn(64, 4), torch.randn(64, 1)
for update in range(6):
    optimizer.zero_grad()
    loss = F.mse_loss(net(states), returns)
    loss.backward()
    optimizer.step()
