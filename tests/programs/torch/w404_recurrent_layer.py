"""A recurrent layer of PyTorch's own, with large first weights and nothing that squashes the state."""

import torch
from torch import nn

torch.manual_seed(0)


class Memory(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(4, 32, nonlinearity="relu")
        self.out = nn.Linear(32, 1)
        for weight in (self.rnn.weight_ih_l0, self.rnn.weight_hh_l0):
            nn.init.normal_(weight)

    def forward(self, steps):
        states, _ = self.rnn(steps)  # fires: W404
        return self.out(states)


memory = Memory()
optimizer = torch.optim.SGD(memory.parameters(), lr=0.1)
for update in range(4):
    loss = memory(torch.randn(24, 8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
