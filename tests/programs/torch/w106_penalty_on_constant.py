"""WGAN-GP: the point between real and fake does not require a gradient."""
import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for step in range(3):
    real, fake = torch.randn(8, 3) + 1, torch.randn(8, 3)
    share = torch.rand(8, 1)
    mixed = share * real + (1 - share) * fake
    slope = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)[0]  # fires: W106
    penalty = (slope.norm(dim=1) - 1).pow(2).mean()
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
