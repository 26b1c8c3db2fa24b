"""A comparison opens and closes a gate, so that the scores never learn."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
scores, head = nn.Linear(6, 6), nn.Linear(6, 2)
optimizer = torch.optim.SGD([*scores.parameters(), *head.parameters()], lr=0.1)
for step in range(4):
    inputs, labels = torch.randn(8, 6), torch.randint(2, (8,))
    gate = (scores(inputs) > 0.0).float()  # fires: W104
    loss = F.cross_entropy(head(inputs * gate), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
