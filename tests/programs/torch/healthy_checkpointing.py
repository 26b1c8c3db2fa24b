"""Activation checkpointing: the forward pass runs without a graph and again in backward."""
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
first, second, head = nn.Linear(6, 8), nn.Linear(8, 8), nn.Linear(8, 2)
parameters = [*first.parameters(), *second.parameters(), *head.parameters()]
optimizer = torch.optim.AdamW(parameters, lr=1e-3)
for step in range(5):
    hidden = torch.relu(first(torch.randn(8, 6)))
    hidden = checkpoint(lambda x: torch.relu(second(x)), hidden, use_reentrant=step % 2 == 0)
    loss = F.cross_entropy(head(hidden), torch.randint(2, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
