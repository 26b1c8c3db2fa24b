"""Hidden layers sit in a plain list."""
import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self, depth=2):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.hidden = [nn.Linear(8, 8) for _ in range(depth)]  # fires: W203
        self.last = nn.Linear(8, 1)

    def forward(self, x):
        x = torch.relu(self.first(x))
        for layer in self.hidden:
            x = torch.relu(layer(x))
        return self.last(x)


torch.manual_seed(0)
tower = Tower()
optimizer = torch.optim.Adam(tower.parameters(), lr=1e-3)
for step in range(4):
    loss = tower(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
