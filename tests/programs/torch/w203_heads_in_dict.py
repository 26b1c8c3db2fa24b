"""One head per task in a plain dict."""
import torch
from torch import nn
from torch.nn import functional as F


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(5, 8)
        self.heads = {"depth": nn.Linear(8, 1), "speed": nn.Linear(8, 1)}  # fires: W203

    def forward(self, x):
        features = torch.relu(self.trunk(x))
        return {task: head(features) for task, head in self.heads.items()}


torch.manual_seed(0)
net = MultiTask()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(4):
    outputs = net(torch.randn(8, 5))
    loss = sum(F.mse_loss(output, torch.randn(8, 1)) for output in outputs.values())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
