"""WGAN-GP: a second derivative, several critic updates for one of the generator."""
import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3))
critic = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
g_optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3)
c_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for step in range(9):
    real, fake = torch.randn(8, 3) + 1, generator(torch.randn(8, 2)).detach()
    share = torch.rand(8, 1)
    mixed = (share * real + (1 - share) * fake).requires_grad_()
    slope = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)[0]
    penalty = (slope.norm(dim=1) - 1).pow(2).mean()
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
    c_optimizer.zero_grad()
    loss.backward()
    c_optimizer.step()
    if step % 3 == 2:
        g_loss = -critic(generator(torch.randn(8, 2))).mean()
        g_optimizer.zero_grad()
        g_loss.backward()
        g_optimizer.step()
