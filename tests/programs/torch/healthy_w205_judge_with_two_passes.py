"""GAN: the judge has a pass for real rows and one for made ones; each network has an optimizer of its own."""

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
maker = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 4))
judge = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
judge_optimizer = torch.optim.Adam(judge.parameters(), lr=1e-3)
maker_optimizer = torch.optim.Adam(maker.parameters(), lr=1e-3)
yes, no = torch.ones(16, 1), torch.zeros(16, 1)
for _ in range(6):
    judge.zero_grad()
    F.binary_cross_entropy_with_logits(judge(torch.randn(16, 4) + 1), yes).backward()
    made = maker(torch.randn(16, 3))
    F.binary_cross_entropy_with_logits(judge(made.detach()), no).backward()
    judge_optimizer.step()

    maker_optimizer.zero_grad()
    F.binary_cross_entropy_with_logits(judge(made), yes).backward()
    maker_optimizer.step()
