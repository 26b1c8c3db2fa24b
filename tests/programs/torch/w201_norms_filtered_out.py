"""A name filter sorts parameters into groups, and the layer norm falls through."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(6, 8)
        self.norm = nn.LayerNorm(8)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(torch.relu(self.norm(self.body(x))))


torch.manual_seed(0)
net = Net()
decay = [p for name, p in net.named_parameters() if "norm" not in name and "weight" in name]
plain = [p for name, p in net.named_parameters() if "norm" not in name and "bias" in name]
groups = [{"params": decay, "weight_decay": 0.1}, {"params": plain, "weight_decay": 0.0}]
optimizer = torch.optim.AdamW(groups, lr=1e-3)  # fires: W201
for step in range(4):
    loss = net(torch.randn(8, 6)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
