"""Three blocks of one class, of which the middle one is made and never called."""
import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, 2 * width)
        self.norm = nn.LayerNorm(2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.down(F.relu(self.norm(self.up(x))))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Block(6)
        self.middle = Block(6)  # fires: W105
        self.last = Block(6)

    def forward(self, x):
        return self.last(self.first(x)).mean(dim=1)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(5):
    x = torch.randn(4, 6)
    loss = F.mse_loss(net(x), x.sum(dim=1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
