"""The loss is computed once, before the loop that backpropagates it and steps."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
inputs, labels = torch.randn(32, 4), torch.randint(3, (32,))
logits = net(inputs)
loss = F.cross_entropy(logits, labels)  # fires: W107
for epoch in range(5):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
