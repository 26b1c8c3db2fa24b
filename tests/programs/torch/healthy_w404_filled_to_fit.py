"""The weights of a deep network are filled anew, as wide as its layers ask for."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(32 if i == 0 else 64, 64) for i in range(8)])
        self.out = nn.Linear(64, 5)
        for layer in self.layers:
            nn.init.kaiming_normal_(layer.weight)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.out(x)


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(20):
    loss = F.cross_entropy(net(torch.randn(16, 32)), torch.randint(0, 5, (16,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
