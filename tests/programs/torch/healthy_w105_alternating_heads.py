"""Tasks take turns; every head gets its gradient, one in each update."""
import torch
from torch import nn
from torch.nn import functional as F


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(5, 8)
        self.heads = nn.ModuleDict({name: nn.Linear(8, 2) for name in ("sport", "news", "music")})

    def forward(self, x, task):
        return self.heads[task](torch.relu(self.trunk(x)))


torch.manual_seed(0)
net = MultiTask()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(9):
    task = ("sport", "news", "music")[step % 3]
    loss = F.cross_entropy(net(torch.randn(8, 5), task), torch.randint(2, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
