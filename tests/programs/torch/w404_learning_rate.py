"""Plain gradient descent with a learning rate of 1 on inputs that are not normalised."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=1.0)  # fires: W404
inputs = 10 * torch.randn(64, 4)
targets = inputs.sum(dim=1, keepdim=True)
for update in range(30):
    optimizer.zero_grad()
    loss = F.mse_loss(net(inputs), targets)
    loss.backward()
    optimizer.step()
