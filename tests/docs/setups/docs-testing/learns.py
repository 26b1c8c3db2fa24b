"""A network of two branches, of which one is detached."""

import torch
from torch import nn
from whygrad.testing import assert_learns


class Net(nn.Module):
    """Two branches, added."""

    def __init__(self):
        super().__init__()
        self.left = nn.Linear(3, 1)
        self.right = nn.Linear(3, 1)

    def forward(self, inputs):
        """Both are wanted."""
        return self.left(inputs) + self.right(inputs).detach()


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters())
batch = torch.randn(8, 3)


def step(batch):
    """One update."""
    predicted = net(batch)
    wanted = batch.sum(1, keepdim=True)
    # The mean over the batch,
    # of squares.
    loss = (predicted - wanted).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


assert_learns(step, net, batch)
