"""Each expert has a layer that its forward does not call; that experts take turns does not explain it."""
import torch
from torch import nn


class Expert(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 1)
        self.second = nn.Linear(4, 1)  # fires: W105

    def forward(self, x):
        return self.first(x)


torch.manual_seed(0)
experts = nn.ModuleList(Expert() for _ in range(4))
optimizer = torch.optim.Adam(experts.parameters(), lr=1e-2)
for step in range(6):
    x = torch.randn(8, 4)
    chosen = (x[:, 0] > 0).long() + (x[:, 1] > 0.5).long() + (x[:, 2] > 0.8).long()
    losses = []
    for number in chosen.unique().tolist():
        rows = x[chosen == number]
        losses.append((experts[number](rows) - rows.sum(dim=1, keepdim=True)).square().mean())
    loss = torch.stack(losses).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
