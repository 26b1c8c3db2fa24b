"""L-BFGS calls its closure many times in a step; each call clears, and sums the gradients of two batches."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=5)
x = torch.randn(32, 3)
y = x.sum(dim=1, keepdim=True)


def closure():
    optimizer.zero_grad()
    total = 0.0
    for part, goal in zip(x.chunk(2), y.chunk(2), strict=True):
        loss = ((model(part) - goal) ** 2).mean() / 2
        loss.backward()
        total += loss.item()
    return total


for step in range(4):
    optimizer.step(closure)
