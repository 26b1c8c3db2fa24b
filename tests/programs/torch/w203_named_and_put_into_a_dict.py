"""A layer gets a name first, and is put into a plain dict afterwards."""
import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = {}
        for name in ("mean", "spread"):
            head = nn.Linear(4, 1)
            nn.init.zeros_(head.bias)
            self.heads[name] = head  # fires: W203
        self.body = nn.Linear(3, 4)

    def forward(self, x):
        x = torch.tanh(self.body(x))
        return self.heads["mean"](x), self.heads["spread"](x)


torch.manual_seed(0)
tower = Tower()
optimizer = torch.optim.Adam(tower.parameters(), lr=1e-3)
for step in range(5):
    x = torch.randn(8, 3)
    mean, spread = tower(x)
    loss = (mean - x[:, :1]).square().mean() + spread.square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
