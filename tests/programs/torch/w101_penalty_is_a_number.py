"""WGAN-GP: the gradient in the penalty has no graph, so that the penalty is a number beside the loss."""

import torch
from torch import autograd, nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)


def penalty(real, fake):
    mixed = (0.5 * real + 0.5 * fake).requires_grad_()
    score = critic(mixed)
    slope = autograd.grad(score, mixed, torch.ones_like(score), retain_graph=True)[0]  # fires: W101
    return (slope.norm(2, dim=1) - 1).pow(2).mean()


for _ in range(3):
    real, fake = torch.randn(16, 2), torch.randn(16, 2) + 1
    loss = critic(fake).mean() - critic(real).mean() + 10.0 * penalty(real, fake)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
