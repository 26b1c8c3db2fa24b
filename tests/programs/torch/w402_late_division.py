"""A masked loss that is right for forty updates, until a batch comes in which nothing is selected: 0/0."""

import torch
from torch import nn

torch.manual_seed(0)


def masked_error(predictions, targets, mask):
    return ((predictions - targets) ** 2 * mask).sum() / mask.sum()  # fires: W402


model = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for update in range(60):
    states = torch.randn(8, 3)
    mask = torch.zeros(8, 1) if update == 40 else torch.ones(8, 1)
    loss = masked_error(model(states), states.sum(dim=1, keepdim=True), mask)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
