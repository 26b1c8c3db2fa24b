"""The head learns on a fixed random encoder, and says that this is meant."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
encoder, head = nn.Linear(6, 8), nn.Linear(8, 2)
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
for step in range(4):
    features = encoder(torch.randn(8, 6)).detach()  # whygrad: ok W102
    loss = F.cross_entropy(head(features), torch.randint(2, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
