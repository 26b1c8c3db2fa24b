"""Two stages of layers are put together in local lists, which the model then keeps as they are."""
import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.begin = nn.Linear(4, 8)
        stages = []
        for _ in range(2):
            blocks = []
            for _ in range(2):
                blocks.append(nn.Linear(8, 8))
            stages.append(blocks)
        self.stages = stages  # fires: W203
        self.end = nn.Linear(8, 2)

    def forward(self, x):
        x = torch.relu(self.begin(x))
        for stage in self.stages:
            for block in stage:
                x = torch.relu(block(x))
        return self.end(x)


net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(6):
    x = torch.randn(16, 4)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
