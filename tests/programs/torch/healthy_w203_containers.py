"""ModuleList and ParameterList are registered; a frozen teacher in a list is left out on purpose."""
import copy

import torch
from torch import nn
from torch.nn import functional as F


class Student(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(2)])
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(4)) for _ in range(2)])
        self.teacher = [copy.deepcopy(self.layers).requires_grad_(False)]

    def forward(self, x):
        for layer, scale in zip(self.layers, self.scales):
            x = torch.tanh(layer(x)) * scale
        return x

    def imitate(self, x):
        for layer in self.teacher[0]:
            x = torch.tanh(layer(x))
        return x


torch.manual_seed(0)
student = Student()
optimizer = torch.optim.Adam(student.parameters(), lr=1e-3)
for step in range(4):
    batch = torch.randn(8, 4)
    loss = F.mse_loss(student(batch), student.imitate(batch + 0.1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
