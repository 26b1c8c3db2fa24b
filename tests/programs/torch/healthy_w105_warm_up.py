"""The auxiliary head joins after ten updates."""
import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(5, 8)
        self.main_head = nn.Linear(8, 2)
        self.extra_head = nn.Linear(8, 1)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(14):
    features = torch.relu(net.body(torch.randn(8, 5)))
    loss = F.cross_entropy(net.main_head(features), torch.randint(2, (8,)))
    if step >= 10:
        loss = loss + net.extra_head(features).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
