"""A linear recurrence whose state grows a little, and gradients that stay near the weights."""
import torch
from torch import nn

torch.manual_seed(0)
step = nn.Linear(4 + 16, 16)
head = nn.Linear(16, 2)
nn.init.normal_(step.weight, std=0.27)
optimizer = torch.optim.Adam([*step.parameters(), *head.parameters()], lr=5e-4)

for _ in range(6):
    state, line = torch.zeros(8, 16), torch.randn(24, 8, 4)
    for x in line:
        state = step(torch.cat([x, state], 1))
    loss = nn.functional.cross_entropy(head(state), torch.randint(0, 2, (8,)))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_([*step.parameters(), *head.parameters()], 1.0)
    optimizer.step()
