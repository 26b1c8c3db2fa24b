"""Both optimizers of a GAN were given all there is; each loss stops what it is not there for."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
generator, judge = nn.Linear(4, 8), nn.Sequential(nn.Linear(8, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
everything = [*generator.parameters(), *judge.parameters()]
probe = nn.Linear(8, 2)
d_optimizer = torch.optim.Adam(everything, lr=1e-3)
p_optimizer = torch.optim.Adam([*generator.parameters(), *probe.parameters()], lr=1e-3)
g_optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3)
ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
for update in range(4):
    fake = generator(torch.randn(16, 4))
    d_optimizer.zero_grad()
    real_loss = F.binary_cross_entropy_with_logits(judge(torch.randn(16, 8)), ones)
    (real_loss + F.binary_cross_entropy_with_logits(judge(fake.detach()), zeros)).backward()
    d_optimizer.step()
    g_optimizer.zero_grad()
    F.binary_cross_entropy_with_logits(judge(fake), ones).backward()
    g_optimizer.step()
    p_optimizer.zero_grad()
    F.cross_entropy(probe(generator(torch.randn(16, 4)).detach()), torch.randint(0, 2, (16,))).backward()
    p_optimizer.step()
