"""A recurrent network whose state is cleared where an episode begins; and a cell that only ever runs one step."""
import torch
from torch import nn


class Memory(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter, self.cell, self.out = nn.Linear(3, 8), nn.LSTMCell(8, 8), nn.Linear(8, 1)

    def forward(self, steps, begins):
        h, c = torch.zeros(steps.shape[1], 8), torch.zeros(steps.shape[1], 8)
        for x, begin in zip(steps, begins):
            keep = (1.0 - begin).unsqueeze(1)
            h, c = self.cell(torch.relu(self.enter(x)), (h * keep, c * keep))
        return self.out(h)


torch.manual_seed(0)
net, single = Memory(), nn.GRUCell(3, 1)
optimizer = torch.optim.Adam([*net.parameters(), *single.parameters()], lr=1e-3)
for update in range(4):
    steps, begins = torch.randn(5, 8, 3), (torch.rand(5, 8) < 0.2).float()
    targets = steps.sum(dim=(0, 2)).unsqueeze(1)
    loss = (net(steps, begins) - targets).pow(2).mean()
    loss = loss + (single(steps[-1], torch.zeros(8, 1)) - targets).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
