"""Tensors that are drawn once and stay: random features, a projection kept as a buffer, a graph's own edges."""
import torch
import torch.nn.functional as F
from torch import nn


class Features(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.frequencies, self.phases = torch.randn(inputs, outputs), torch.rand(outputs)
        self.scale = nn.Parameter(torch.ones(outputs))

    def forward(self, inputs):
        return self.scale * torch.cos(inputs @ self.frequencies + self.phases)


class Projection(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.register_buffer("table", torch.randn(inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, inputs):
        return inputs @ self.table + self.bias


class Mixing(nn.Module):
    def __init__(self, edges, size):
        super().__init__()
        self.edges = edges
        self.weight, self.bias = nn.Parameter(torch.randn(size, size) / size), nn.Parameter(torch.zeros(size))

    def forward(self, inputs):
        return self.edges @ (inputs @ self.weight) + self.bias


torch.manual_seed(0)
edges = torch.eye(8) + torch.rand(8, 8) / 10
net = nn.Sequential(Features(4, 16), Projection(16, 16), Mixing(edges, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for update in range(4):
    inputs = torch.randn(8, 4)
    loss = F.mse_loss(net(inputs), inputs.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
