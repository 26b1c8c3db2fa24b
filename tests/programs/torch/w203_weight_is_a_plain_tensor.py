"""A graph convolution of one's own: the weight is a tensor that is drawn and kept, and only the bias is a parameter."""
import math

import torch
import torch.nn.functional as F
from torch import nn


class Convolution(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = torch.empty(inputs, outputs)  # fires: W203
        self.bias = nn.Parameter(torch.zeros(outputs))
        self.reset()

    def reset(self):
        bound = 1.0 / math.sqrt(self.weight.size(1))
        self.weight.data.uniform_(-bound, bound)
        self.bias.data.uniform_(-bound, bound)

    def forward(self, nodes, edges):
        return torch.mm(edges, torch.mm(nodes, self.weight)) + self.bias


class Graph(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Convolution(6, 16), Convolution(16, 3)

    def forward(self, nodes, edges):
        return F.log_softmax(self.second(F.relu(self.first(nodes, edges)), edges), dim=1)


torch.manual_seed(0)
nodes, edges, labels = torch.randn(20, 6), torch.rand(20, 20) / 10, torch.randint(0, 3, (20,))
graph = Graph()
optimizer = torch.optim.Adam(graph.parameters(), lr=1e-2)
for update in range(4):
    optimizer.zero_grad()
    F.nll_loss(graph(nodes, edges), labels).backward()
    optimizer.step()
