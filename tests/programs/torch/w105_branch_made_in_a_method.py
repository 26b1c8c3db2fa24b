"""A branch of several lines, made in a method that gives it its name, and never called."""
import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(6, 8)
        self.head = nn.Linear(8, 1)
        self.make_side()

    def make_side(self):
        self.side = nn.Sequential(  # fires: W105
            nn.Linear(8, 8),
            nn.ReLU(),
            nn.Linear(8, 1),
        )

    def forward(self, x):
        return self.head(torch.tanh(self.body(x))).squeeze(1)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(5):
    x = torch.randn(4, 6)
    loss = F.mse_loss(net(x), x.sum(dim=1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
