"""The first of a list of layers is given nothing to join, so its join is never called."""
import torch
from torch import nn
from torch.nn import functional as F


class Join(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, width)
        self.outer = nn.Linear(width, width)

    def forward(self, x):
        return x + self.outer(F.relu(self.inner(x)))


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.join = Join(width)  # fires: W105
        self.own = Join(width)

    def forward(self, x, other=None):
        if other is not None:
            x = x + self.join(other)
        return self.own(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Layer(6) for _ in range(3)])

    def forward(self, views):
        x = self.layers[0](views[0])
        x = self.layers[1](x, views[1])
        return self.layers[2](x, views[2]).mean(dim=1)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(5):
    views = torch.randn(3, 4, 6)
    loss = F.mse_loss(net(views), views.sum(dim=(0, 2)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
