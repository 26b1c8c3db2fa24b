"""The training loop hands a model its own last state, with the graph of the last chunk."""

import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 8)
        self.last = nn.Linear(8, 1)

    def forward(self, x, state):
        out, state = self.rnn(x, state)
        return self.last(out), state


torch.manual_seed(0)
reader = Reader()
optimizer = torch.optim.Adam(reader.parameters(), lr=1e-3)
state = torch.zeros(1, 4, 8)
for chunk in range(3):
    out, state = reader(torch.randn(6, 4, 3), state)  # fires: W107
    loss = out.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
