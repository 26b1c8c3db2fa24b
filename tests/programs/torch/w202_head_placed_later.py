"""A new head is made, gets the old rows, and is put into the network; the optimizer holds the old one."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(4, 16), nn.Linear(16, 2)

    def forward(self, x):
        return self.head(self.body(x).relu())


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
head = nn.Linear(16, 3)
head.weight.data[:2] = net.head.weight.data
net.head = head  # fires: W202
for _ in range(5):
    loss = nn.functional.cross_entropy(net(torch.randn(16, 4)), torch.randint(0, 3, (16,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
