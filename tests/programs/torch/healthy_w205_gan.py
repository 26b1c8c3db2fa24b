"""A GAN: each network has an optimizer of its own, and the judge is cleared before its loss."""

import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
judge = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
generator_optimizer = torch.optim.Adam(generator.parameters(), lr=2e-4)
judge_optimizer = torch.optim.Adam(judge.parameters(), lr=2e-4)
criterion = nn.BCEWithLogitsLoss()
genuine, fake = torch.ones(8, 1), torch.zeros(8, 1)
for _ in range(3):
    made = generator(torch.randn(8, 4))
    judge_optimizer.zero_grad()
    judge_loss = criterion(judge(torch.randn(8, 2) + 2), genuine) + criterion(judge(made.detach()), fake)
    judge_loss.backward()
    judge_optimizer.step()
    generator_optimizer.zero_grad()
    generator_loss = criterion(judge(made), genuine)
    generator_loss.backward()
    generator_optimizer.step()
