"""Blocks that are appended to a plain list, each over several lines."""
import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = []
        for _ in range(2):
            self.blocks.append(  # fires: W203
                nn.Sequential(
                    nn.Linear(4, 4),
                    nn.Tanh(),
                )
            )
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        for block in self.blocks:
            x = x + block(x)
        return self.head(x)


torch.manual_seed(0)
tower = Tower()
optimizer = torch.optim.Adam(tower.parameters(), lr=1e-3)
for step in range(5):
    x = torch.randn(8, 4)
    loss = (tower(x) - x[:, :1]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
