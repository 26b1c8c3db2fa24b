"""A hand-written recurrent network over forty steps with large first weights and nothing that squashes the state."""

import torch
from torch import nn

torch.manual_seed(0)


class Memory(nn.Module):
    def __init__(self):
        super().__init__()
        self.recur = nn.Parameter(torch.randn(16, 16))
        self.enter, self.out = nn.Linear(4, 16), nn.Linear(16, 1)

    def forward(self, steps):
        state = torch.zeros(steps.shape[1], 16)
        for step in steps:
            state = state @ self.recur + self.enter(step)  # fires: W404
        return self.out(state)


memory = Memory()
optimizer = torch.optim.Adam(memory.parameters(), lr=1e-3)
for update in range(3):
    loss = memory(torch.randn(40, 8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
