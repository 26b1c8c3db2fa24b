"""Buffers that are filled as a whole, copies that are written to, and rows that are replaced."""

import torch
from torch import nn

torch.manual_seed(0)


class Filled(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(6, 8)
        self.fill = nn.Linear(6, 8)
        self.head = nn.Linear(8, 1)

    def forward(self, x, missing):
        encoded = torch.tanh(self.encode(x))
        h = torch.zeros_like(encoded)
        h[:] = encoded
        h[missing.any(1)] = torch.tanh(self.fill(missing))[missing.any(1)]
        scratch = encoded.clone()
        scratch[...] = self.fill(missing)
        return self.head(h) + scratch.mean(1, keepdim=True)


net = Filled()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(6):
    x = torch.randn(16, 6)
    missing = (x > 1).float()
    loss = ((net(x, missing) - x.sum(1, keepdim=True)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
