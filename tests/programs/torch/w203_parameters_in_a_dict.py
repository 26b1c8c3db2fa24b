"""A graph layer that keeps one of its weights in a plain dict."""

import torch
from torch import nn

torch.manual_seed(0)


class Graph(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weights = {"w": nn.Parameter(torch.empty(inputs, outputs))}  # fires: W203
        self.bias = nn.Parameter(torch.zeros(outputs))
        nn.init.xavier_normal_(self.weights["w"])

    def forward(self, nodes: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        return edges @ nodes @ self.weights["w"] + self.bias


model = nn.ModuleList([Graph(6, 8), Graph(8, 3)])
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
nodes, edges, labels = torch.randn(10, 6), torch.eye(10), torch.randint(0, 3, (10,))
for _ in range(4):
    loss = nn.functional.cross_entropy(model[1](model[0](nodes, edges).relu(), edges), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
