"""Blocks in a list: each computes its feed-forward part and returns what it had before."""

import torch
from torch import nn

torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mix, self.feed = nn.Linear(8, 8), nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mixed = x + self.mix(x)
        output = self.feed(mixed)  # fires: W105
        return mixed


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = block(x)
        return x


model = Encoder()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(4):
    inputs = torch.randn(16, 8)
    loss = nn.functional.mse_loss(model(inputs), inputs.flip(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
