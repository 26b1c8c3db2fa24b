"""GAN: the generator's loss looks at the real batch."""
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
    real = torch.randn(8, 3) + 2.0
    fake = generator(torch.randn(8, 2))
    d_loss = F.binary_cross_entropy_with_logits(discriminator(real), ones)
    d_loss = d_loss + F.binary_cross_entropy_with_logits(discriminator(fake.detach()), zeros)
    d_optimizer.zero_grad()
    d_loss.backward()
    d_optimizer.step()
    verdict = discriminator(real)  # fires: W105
    g_loss = F.binary_cross_entropy_with_logits(verdict, ones)
    g_optimizer.zero_grad()
    g_loss.backward()
    g_optimizer.step()
