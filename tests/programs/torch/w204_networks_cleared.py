"""GAN that clears networks: the optimizers hold each other's, and a backward fails."""
import torch
from torch import nn

torch.manual_seed(0)
maker = nn.Sequential(nn.Linear(3, 12), nn.ReLU(), nn.Linear(12, 2))
judge = nn.Sequential(nn.Linear(2, 12), nn.ReLU(), nn.Linear(12, 1))
judge_step = torch.optim.Adam(maker.parameters(), lr=1e-3)  # fires: W204
maker_step = torch.optim.Adam(judge.parameters(), lr=1e-3)
verdict = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
for step in range(6):
    judge.zero_grad()
    loss_real = verdict(judge(torch.randn(16, 2)), ones)
    loss_real.backward()
    fake = maker(torch.randn(16, 3))
    loss_fake = verdict(judge(fake.detach()), zeros)
    loss_fake.backward()
    judge_step.step()
    maker.zero_grad()
    loss_maker = verdict(judge(fake), ones)
    try:
        loss_maker.backward()
    except RuntimeError:
        break
    maker_step.step()
