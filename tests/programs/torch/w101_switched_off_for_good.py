"""`torch.set_grad_enabled(False)` as a statement: it holds for all that follows."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
torch.set_grad_enabled(False)  # fires: W101
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
inputs = torch.randn(16, 4)
loss = F.mse_loss(net(inputs), inputs.sum(dim=1, keepdim=True))
optimizer.zero_grad()
loss.backward()
optimizer.step()
