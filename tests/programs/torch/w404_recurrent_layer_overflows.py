"""A recurrent layer of PyTorch's own without anything that squashes: its state overflows within one sequence."""

import torch
from torch import nn

torch.manual_seed(0)


class Memory(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(4, 32, nonlinearity="relu")
        self.out = nn.Linear(32, 1)
        nn.init.normal_(self.rnn.weight_hh_l0)

    def forward(self, steps):
        states, _ = self.rnn(steps)  # fires: W404
        return self.out(states[-1])


memory = Memory()
optimizer = torch.optim.SGD(memory.parameters(), lr=0.1)
for update in range(4):
    loss = memory(torch.randn(120, 8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
