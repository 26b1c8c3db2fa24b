"""An encoder learns through a judge, whose gradients are cleared before its own loss."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 12))
judge = nn.Sequential(nn.Linear(12, 24), nn.LeakyReLU(0.2), nn.Linear(24, 1))
encoder_optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)
judge_optimizer = torch.optim.Adam(judge.parameters(), lr=1e-3)
for update in range(6):
    real = torch.rand(16, 12)
    fake = encoder(real)
    loss = F.mse_loss(fake, real) + 0.1 * F.softplus(-judge(fake)).mean()
    encoder_optimizer.zero_grad()
    loss.backward()
    encoder_optimizer.step()
    judge_loss = F.softplus(judge(fake.detach())).mean() + F.softplus(-judge(real)).mean()
    judge_optimizer.zero_grad()
    judge_loss.backward()
    judge_optimizer.step()
