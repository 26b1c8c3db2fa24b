"""The judge is frozen for the maker's loss and never thawed: after the first update it learns nothing."""
import torch
from torch import nn

torch.manual_seed(0)
maker = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 3))
judge = nn.Sequential(nn.Linear(3, 16), nn.LeakyReLU(), nn.Linear(16, 1))
maker_optimizer = torch.optim.Adam(maker.parameters(), lr=1e-3)
judge_optimizer = torch.optim.Adam(judge.parameters(), lr=1e-3)

for _ in range(6):
    real, made = torch.randn(8, 3), maker(torch.randn(8, 2))
    judge_optimizer.zero_grad()
    (judge(made).mean() - judge(real).mean()).backward()
    judge_optimizer.step()

    maker_optimizer.zero_grad()
    for parameter in judge.parameters():
        parameter.requires_grad = False  # fires: W109
    (-judge(maker(torch.randn(8, 2))).mean()).backward()
    maker_optimizer.step()
