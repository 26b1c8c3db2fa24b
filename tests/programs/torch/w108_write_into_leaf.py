"""A row of an embedding is set by hand without no_grad."""
import torch
from torch import nn

torch.manual_seed(0)
table, head = nn.Parameter(torch.randn(5, 3)), nn.Linear(3, 1)
optimizer = torch.optim.SGD([table, *head.parameters()], lr=0.1)
for step in range(2):
    table[0] = 0.0  # fires: W108
    loss = head(table[torch.randint(5, (8,))]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
