"""Attention in which one sequence of the batch is empty: all of its scores are masked."""

import torch
from torch import nn

torch.manual_seed(0)


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))

    def forward(self, x, padding):
        scores = self.query(x) @ self.key(x).transpose(1, 2) / 4.0
        scores = scores.masked_fill(padding[:, None, :], float("-inf"))
        weights = torch.softmax(scores, dim=-1)  # fires: W402
        return weights @ self.value(x)


model = Attention(16)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
lengths = torch.tensor([5, 3, 0, 4])
padding = torch.arange(5)[None] >= lengths[:, None]
for update in range(3):
    loss = model(torch.randn(4, 5, 16), padding).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
