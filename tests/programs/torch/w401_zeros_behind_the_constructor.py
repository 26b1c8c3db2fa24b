"""A word model whose weights are all set to zero after it was made: no layer lets a gradient through to another."""

import torch
from torch import nn

torch.manual_seed(0)


class Words(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(20, 8)
        self.out = nn.Linear(8, 20, bias=False)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        return self.out(torch.tanh(self.embed(words)))


model = Words()
for weight in model.parameters():
    nn.init.zeros_(weight)  # fires: W401
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(4):
    words = torch.randint(0, 20, (32,))
    loss = nn.functional.cross_entropy(model(words), words.roll(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
