"""A loss that said it had no gradient was given one: Variable() makes a new leaf of it."""

import torch
from torch import nn
from torch.autograd import Variable

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    x = Variable(torch.randn(16, 4))
    y = Variable(torch.randint(0, 3, (16,)))
    loss = nn.functional.cross_entropy(model(x), y)
    loss = Variable(loss, requires_grad=True)  # fires: W102
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
