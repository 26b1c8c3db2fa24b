"""A router sends each batch to one expert of a ModuleList; most experts wait."""
import torch
from torch import nn


class Mixture(nn.Module):
    def __init__(self, experts=6):
        super().__init__()
        self.router = nn.Linear(4, experts)
        self.experts = nn.ModuleList([nn.Linear(4, 2) for _ in range(experts)])

    def forward(self, x):
        weights = torch.softmax(self.router(x).mean(dim=0), dim=0)
        chosen = int(weights.argmax())
        return weights[chosen] * self.experts[chosen](x)


torch.manual_seed(3)
model = Mixture()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(12):
    batch = torch.randn(4, 4) * 3
    loss = (model(batch) - batch[:, :2]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
