"""One network, tuned for each task from the same beginning; each result goes to a file."""

import copy
import io

import torch
from torch import nn

torch.manual_seed(0)
origin = nn.Linear(4, 2)
for task in range(3):
    tuned = copy.deepcopy(origin)
    optimizer = torch.optim.SGD(tuned.parameters(), lr=0.05)
    for _ in range(2):
        x = torch.randn(16, 4)
        loss = (tuned(x) - x[:, task : task + 2]).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.save(tuned.state_dict(), io.BytesIO())
with torch.no_grad():
    print(origin(torch.ones(1, 4)))
