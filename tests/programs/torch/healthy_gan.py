"""Plain GAN: one fake batch, detached for the discriminator, live for the generator."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3))
discriminator = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
g_optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3)
d_optimizer = torch.optim.Adam(discriminator.parameters(), lr=1e-3)
ones, zeros = torch.ones(8, 1), torch.zeros(8, 1)
for step in range(5):
    real, fake = torch.randn(8, 3) + 2.0, generator(torch.randn(8, 2))
    d_loss = F.binary_cross_entropy_with_logits(discriminator(real), ones)
    d_loss = d_loss + F.binary_cross_entropy_with_logits(discriminator(fake.detach()), zeros)
    d_optimizer.zero_grad()
    d_loss.backward()
    d_optimizer.step()
    g_loss = F.binary_cross_entropy_with_logits(discriminator(fake), ones)
    g_optimizer.zero_grad()
    g_loss.backward()
    g_optimizer.step()
