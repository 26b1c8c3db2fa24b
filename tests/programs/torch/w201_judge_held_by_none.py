"""Both optimizers of a GAN hold the generator: the one that steps after the judge's own loss was built wrong."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
generator, judge = nn.Linear(4, 6), nn.Sequential(nn.Linear(6, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
first = torch.optim.Adam(generator.parameters(), lr=1e-3)
second = torch.optim.Adam(generator.parameters(), lr=1e-3)  # fires: W201
ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
for update in range(4):
    noise = torch.randn(16, 4)
    g_loss = F.binary_cross_entropy_with_logits(judge(generator(noise)), ones)
    g_loss.backward()
    first.step()
    first.zero_grad()
    real_loss = F.binary_cross_entropy_with_logits(judge(torch.randn(16, 6)), ones)
    d_loss = real_loss + F.binary_cross_entropy_with_logits(judge(generator(noise).detach()), zeros)
    d_loss.backward()
    second.step()
    second.zero_grad()
