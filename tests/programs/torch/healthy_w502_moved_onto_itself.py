"""A loss with weights of its own, as in metric learning: they are moved to where the batch is, onto themselves."""

import torch
from torch import nn

torch.manual_seed(0)


class Places:
    def like(self, tensor, other):
        return tensor.to(other.device)


class Proxies(nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = nn.Parameter(torch.randn(8, 4))

    def forward(self, embedded, labels):
        places = Places()
        self.weights.data = places.like(self.weights.data, embedded)
        return nn.functional.cross_entropy(embedded @ self.weights, labels)


body, proxies = nn.Linear(10, 8), Proxies()
optimizer = torch.optim.SGD([*body.parameters(), *proxies.parameters()], lr=0.1)
for _ in range(6):
    loss = proxies(body(torch.randn(32, 10)), torch.randint(0, 4, (32,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
