"""The network keeps its hidden state itself; between two updates it is called once more, to be judged."""

import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 8, batch_first=True)
        self.last = nn.Linear(8, 1)
        self.state = None

    def forward(self, x):
        out, self.state = self.rnn(x, self.state)  # fires: W107
        return self.last(out[:, -1])


torch.manual_seed(0)
reader = Reader()
optimizer = torch.optim.Adam(reader.parameters(), lr=1e-3)
for update in range(3):
    loss = reader(torch.randn(4, 6, 3)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("error on other data", reader(torch.randn(4, 6, 3)).pow(2).mean().item())
