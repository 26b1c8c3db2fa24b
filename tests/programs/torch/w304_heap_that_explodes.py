"""Gradients that are never cleared, of a deep network with large steps: the heap grows, and so does everything else."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.4)
for update in range(12):
    inputs = 3 * torch.randn(16, 4)
    loss = (net(inputs) - inputs.sum(1, keepdim=True)).pow(2).mean()
    loss.backward()  # fires: W304
    optimizer.step()
