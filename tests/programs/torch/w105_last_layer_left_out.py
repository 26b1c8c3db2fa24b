"""A loop runs all layers of a list but the last."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
        self.out = nn.Linear(4, 1)

    def forward(self, x):
        for layer in self.layers[:-1]:  # fires: W105
            x = torch.tanh(layer(x))
        return self.out(x)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(5):
    x = torch.randn(16, 4)
    loss = ((net(x) - x[:, :1]) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
