"""Features of a classifier, taken by a forward hook: its last layer runs as well, and its result is let go."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 8), nn.Linear(8, 10))
projector = nn.Linear(8, 4)
taken = {}
net[2].register_forward_hook(lambda module, inputs, output: taken.update(features=output))
optimizer = torch.optim.Adam([*net.parameters(), *projector.parameters()], lr=1e-3)


def embed(images):
    net(images)
    return F.normalize(projector(taken["features"]), dim=1)


for _ in range(6):
    images = torch.randn(16, 6)
    one, two = embed(images + 0.1 * torch.randn(16, 6)), embed(images + 0.1 * torch.randn(16, 6))
    loss = F.cross_entropy(one @ two.T / 0.1, torch.arange(16))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
