"""The generator's loss is cut, and the program ends there; the judge is frozen around that loss alone."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
generator, judge = nn.Linear(4, 6), nn.Sequential(nn.Linear(6, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
g_optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3)
d_optimizer = torch.optim.Adam(judge.parameters(), lr=1e-3)
ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)


def training_step(real):
    judge.requires_grad_(False)
    fake = generator(torch.randn(16, 4))
    g_loss = F.binary_cross_entropy_with_logits(judge(fake.detach()), ones)  # fires: W102
    g_loss.backward()
    g_optimizer.step()
    g_optimizer.zero_grad()
    judge.requires_grad_(True)
    d_loss = F.binary_cross_entropy_with_logits(judge(real), ones)
    d_loss = d_loss + F.binary_cross_entropy_with_logits(judge(fake.detach()), zeros)
    d_loss.backward()
    d_optimizer.step()
    d_optimizer.zero_grad()


for update in range(3):
    training_step(torch.randn(16, 6))
