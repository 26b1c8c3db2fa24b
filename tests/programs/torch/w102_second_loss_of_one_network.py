"""The generator has an optimizer of its own, and one more with the judge for a second loss, which never reaches it."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
generator = nn.Linear(6, 8)
judge, reader = nn.Sequential(nn.Linear(8, 16), nn.LeakyReLU(0.2)), nn.Linear(16, 3)
verdict = nn.Linear(16, 1)
judging = [*judge.parameters(), *verdict.parameters(), *reader.parameters()]
g_optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3)
d_optimizer = torch.optim.Adam(judging, lr=1e-3)
i_optimizer = torch.optim.Adam([*generator.parameters(), *judging], lr=1e-3)
ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
for update in range(4):
    labels = torch.randint(0, 3, (16,))
    codes = torch.cat([torch.randn(16, 3), F.one_hot(labels, 3).float()], 1)
    fake = generator(codes)
    g_optimizer.zero_grad()
    F.binary_cross_entropy_with_logits(verdict(judge(fake)), ones).backward()
    g_optimizer.step()
    d_optimizer.zero_grad()
    real_loss = F.binary_cross_entropy_with_logits(verdict(judge(torch.randn(16, 8))), ones)
    (real_loss + F.binary_cross_entropy_with_logits(verdict(judge(fake.detach())), zeros)).backward()
    d_optimizer.step()
    i_optimizer.zero_grad()
    fake = generator(codes)
    F.cross_entropy(reader(judge(fake.detach())), labels).backward()  # fires: W102
    i_optimizer.step()
