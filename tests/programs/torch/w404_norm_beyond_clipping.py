"""Every entry of the gradient is finite, its norm is not: clipping divides by infinity and nothing is left of it."""
import torch
from torch import nn

torch.manual_seed(0)


class Memory(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(4, 32, nonlinearity="relu")
        self.out = nn.Linear(32, 1)
        nn.init.uniform_(self.rnn.weight_hh_l0, -1.2, 1.2)

    def forward(self, steps):
        states, _ = self.rnn(steps)  # fires: W404
        return self.out(states[-1])


memory = Memory()
optimizer = torch.optim.SGD(memory.parameters(), lr=0.1)
for update in range(6):
    loss = memory(torch.randn(24, 8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(memory.parameters(), 0.25)
    optimizer.step()
