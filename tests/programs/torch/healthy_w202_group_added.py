"""A new head joins by add_param_group; the old one stays in the optimizer, where it does no harm."""
import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(6, 16)
        self.head = nn.Linear(16, 10)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for classes in (10, 3):
    if classes != 10:
        model.head = nn.Linear(16, classes)
        optimizer.add_param_group({"params": model.head.parameters()})
    for update in range(4):
        loss = F.cross_entropy(model(torch.randn(8, 6)), torch.randint(classes, (8,)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
