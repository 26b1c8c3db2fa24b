"""The second convolution is used twice, the third one never."""
import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv1d(1, 4, 3, padding=1)
        self.conv2 = nn.Conv1d(4, 4, 3, padding=1)
        self.conv3 = nn.Conv1d(4, 4, 3, padding=1)  # fires: W105
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = F.relu(self.conv2(x))
        return self.head(x.mean(dim=2))


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(5):
    loss = F.cross_entropy(net(torch.randn(4, 1, 10)), torch.randint(2, (4,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
