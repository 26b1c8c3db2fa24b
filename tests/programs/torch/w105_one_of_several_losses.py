"""Of three losses of one network, the one that took the second output does not use it."""
import torch
from torch import nn
from torch.nn import functional as F


class Judge(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(6, 8)
        self.real = nn.Linear(8, 1)
        self.kind = nn.Linear(8, 3)
        self.code = nn.Linear(8, 2)

    def forward(self, x):
        h = torch.tanh(self.body(x))
        code = self.code(h)
        return self.real(h), self.kind(h), code


torch.manual_seed(0)
maker, judge = nn.Linear(4, 6), Judge()
both = [*maker.parameters(), *judge.parameters()]
maker_step = torch.optim.Adam(maker.parameters(), lr=1e-3)
judge_step = torch.optim.Adam(judge.parameters(), lr=1e-3)
code_step = torch.optim.Adam(both, lr=1e-3)
ones, zeros = torch.ones(8, 1), torch.zeros(8, 1)
for step in range(4):
    fake = maker(torch.randn(8, 4))
    verdict, _, _ = judge(fake)
    maker_loss = F.mse_loss(verdict, ones)
    maker_step.zero_grad()
    maker_loss.backward()
    maker_step.step()

    real_verdict, _, _ = judge(torch.randn(8, 6))
    fake_verdict, _, _ = judge(fake.detach())
    judge_loss = F.mse_loss(real_verdict, ones) + F.mse_loss(fake_verdict, zeros)
    judge_step.zero_grad()
    judge_loss.backward()
    judge_step.step()

    kind = torch.randint(3, (8,))
    noise = torch.cat([F.one_hot(kind, 3).float(), torch.randn(8, 1)], dim=1)
    _, told_kind, told_code = judge(maker(noise))
    code_loss = F.cross_entropy(told_kind, kind)  # fires: W105
    code_step.zero_grad()
    code_loss.backward()
    code_step.step()
