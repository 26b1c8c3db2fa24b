"""Every layer of a list has a branch that is never called, made like one that is."""
import torch
from torch import nn
from torch.nn import functional as F


class Branch(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.one, self.two = (nn.Linear(width, width) for _ in range(2))

    def forward(self, x):
        return self.two(F.relu(self.one(x)))


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.own = Branch(width)
        self.other = Branch(width)  # fires: W105

    def forward(self, x, other=None):
        x = x + self.own(x)
        return x if other is None else x + self.other(other)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Layer(6) for _ in range(3)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x.mean(dim=1)


def main():
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(5):
        x = torch.randn(4, 6)
        loss = F.mse_loss(net(x), x.sum(dim=1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
main()
