"""A linear recurrence of gain above one: finite numbers, and a gradient no step is made for."""
import torch
from torch import nn

torch.manual_seed(0)
step = nn.Linear(4 + 16, 16)
head = nn.Linear(16, 2)
nn.init.normal_(step.weight, std=0.45)
optimizer = torch.optim.Adam([*step.parameters(), *head.parameters()], lr=5e-4)

for _ in range(6):
    state, line = torch.zeros(8, 16), torch.randn(24, 8, 4)
    for x in line:
        state = step(torch.cat([x, state], 1))  # fires: W404
    loss = nn.functional.cross_entropy(head(state), torch.randint(0, 2, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
