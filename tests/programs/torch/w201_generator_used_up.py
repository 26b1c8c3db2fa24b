"""The parameters are counted, and then given to the optimizer: the generator is empty by then."""

import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
parameters = net.parameters()
print(sum(parameter.numel() for parameter in parameters))
optimizer = torch.optim.SGD(parameters, 0.1)  # fires: W201
for _ in range(4):
    loss = net(torch.randn(16, 3)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
