"""A picture is sought for a fixed network, which nobody froze, and is clamped in place."""
import torch
from torch import nn

torch.manual_seed(0)
network = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 3))
style = network(torch.rand(1, 3, 8, 8)).detach()
picture = torch.rand(1, 3, 8, 8).requires_grad_(True)
optimizer = torch.optim.Adam([picture], lr=0.05)
for step in range(6):
    loss = ((network(picture) - style) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        picture.clamp_(0, 1)
