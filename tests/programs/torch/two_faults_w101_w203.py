"""Two faults: embeddings made under inference mode, and readouts in a tuple."""
import torch
from torch import nn


class Graph(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(3, 8)
        self.message = nn.Linear(8, 8)
        self.readouts = (nn.Linear(8, 1), nn.Linear(8, 1))  # fires: W203

    def forward(self, nodes, edges):
        with torch.no_grad():
            hidden = self.embed(nodes)  # fires: W101
        hidden = torch.relu(edges @ self.message(hidden))
        return sum(readout(hidden) for readout in self.readouts)


torch.manual_seed(0)
graph = Graph()
optimizer = torch.optim.Adam(graph.parameters(), lr=1e-3)
for step in range(4):
    loss = graph(torch.randn(5, 3), torch.eye(5)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
