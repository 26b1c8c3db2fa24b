"""A network is trained, a layer is replaced by a smaller one, and a new optimizer goes on."""

import torch
from torch import nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 32), nn.Linear(32, 3)

    def forward(self, x):
        return self.second(F.relu(self.first(x)))


def prune(net, keep):
    rows = net.first.weight.abs().sum(1).topk(keep).indices
    first, second = nn.Linear(8, keep), nn.Linear(keep, 3)
    first.weight.data.copy_(net.first.weight.data[rows])
    second.weight.data.copy_(net.second.weight.data[:, rows])
    net.first, net.second = first, second


def train(net, optimizer, rounds):
    for _ in range(rounds):
        x = torch.randn(16, 8)
        loss = F.cross_entropy(net(x), x[:, :3].argmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
train(net, optimizer, 6)
prune(net, 8)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
train(net, optimizer, 6)
