"""A language model that copies its embeddings by way of NumPy."""

import torch
from torch import nn

torch.manual_seed(0)


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed, self.cell, self.out = nn.Embedding(20, 8), nn.LSTM(8, 16, batch_first=True), nn.Linear(16, 20)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        x = self.embed(words)
        x = torch.tensor(x.detach().cpu().numpy())  # fires: W103
        return self.out(self.cell(x)[0])


model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(4):
    words = torch.randint(0, 20, (4, 6))
    loss = nn.functional.cross_entropy(model(words[:, :-1]).flatten(0, 1), words[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
