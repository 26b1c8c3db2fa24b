"""A penalty for parts that do not fit their whole: two arg-maxes are compared, and what differs is counted."""

import torch
from torch import nn

torch.manual_seed(0)
body, whole, part = nn.Linear(6, 32), nn.Linear(32, 3), nn.Linear(32, 9)
optimizer = torch.optim.Adam([*body.parameters(), *whole.parameters(), *part.parameters()], lr=1e-3)
parent = torch.arange(9) % 3
for _ in range(4):
    inputs, parts = torch.randn(32, 6), torch.randint(0, 9, (32,))
    hidden = body(inputs).relu()
    of_whole, of_part = whole(hidden), part(hidden)
    chosen = of_part.argmax(1)  # fires: W104
    wrong = torch.where(chosen == parts, torch.zeros(1), torch.ones(1))
    penalty = torch.sum(2.0**wrong - 1)
    loss = nn.functional.cross_entropy(of_whole, parent[parts]) + nn.functional.cross_entropy(of_part, parts)
    loss = loss + 0.1 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
