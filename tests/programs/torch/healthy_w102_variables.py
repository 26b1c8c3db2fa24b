"""Old code puts its data into Variables, and trains one that it made itself."""

import torch
from torch import nn
from torch.autograd import Variable

torch.manual_seed(0)
model = nn.Linear(4, 2)
scale = Variable(torch.ones(1), requires_grad=True)
optimizer = torch.optim.SGD([*model.parameters(), scale], lr=0.1)
for _ in range(4):
    x, y = Variable(torch.randn(16, 4)), Variable(torch.randn(16, 2), requires_grad=False)
    loss = (scale * model(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    shown = Variable(model(x).data)
