"""Adapters in checkpointed blocks on a frozen embedding: a reentrant checkpoint sees no input to differentiate."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)


class Adapted(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.base = nn.Linear(width, width).requires_grad_(False)
        self.adapter = nn.Linear(width, width, bias=False)

    def forward(self, x):
        return torch.tanh(self.base(x) + self.adapter(x))


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(9, 8).requires_grad_(False)
        self.blocks = nn.ModuleList([Adapted(8), Adapted(8)])
        self.head = nn.Linear(8, 9)

    def forward(self, tokens):
        h = self.embedding(tokens)
        for block in self.blocks:
            h = checkpoint(block, h, use_reentrant=True)  # fires: W101
        return self.head(h)


model = Model()
optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-3)
for _ in range(3):
    tokens = torch.randint(0, 9, (16,))
    loss = nn.functional.cross_entropy(model(tokens), tokens.roll(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
