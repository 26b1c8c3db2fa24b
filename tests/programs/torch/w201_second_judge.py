"""One module holds a maker and two judges; the judges' optimizer, the second that is built, is given one of them."""
import torch
from torch import nn

torch.manual_seed(0)


class Gan(nn.Module):
    def __init__(self):
        super().__init__()
        self.maker = nn.Linear(4, 6)
        self.judge = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
        self.second = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))


gan = Gan()
maker_step = torch.optim.Adam(gan.maker.parameters(), 1e-3)
judge_step = torch.optim.Adam(gan.judge.parameters(), 1e-3)  # fires: W201
for _ in range(5):
    made, real = gan.maker(torch.randn(16, 4)), torch.randn(16, 6)
    loss = sum(((j(real) - 1) ** 2).mean() + (j(made.detach()) ** 2).mean() for j in (gan.judge, gan.second))
    gan.judge.zero_grad()
    gan.second.zero_grad()
    loss.backward()
    judge_step.step()
    maker_step.zero_grad()
    sum(((j(made) - 1) ** 2).mean() for j in (gan.judge, gan.second)).backward()
    maker_step.step()
