"""GAN: after each loss the optimizer of the other network steps."""

import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(3, 24), nn.ReLU(), nn.Linear(24, 2))
critic = nn.Sequential(nn.Linear(2, 24), nn.ReLU(), nn.Linear(24, 1))
optimizers = {
    "generator": torch.optim.Adam(generator.parameters(), lr=1e-3),
    "critic": torch.optim.Adam(critic.parameters(), lr=1e-3),
}
judge = nn.BCEWithLogitsLoss()
yes, no = torch.ones(16, 1), torch.zeros(16, 1)


def clear():
    for optimizer in optimizers.values():
        optimizer.zero_grad()


for _ in range(8):
    real = torch.randn(16, 2) * 0.3 + torch.tensor([1.0, -1.0])
    clear()
    loss = judge(critic(real), yes) + judge(critic(generator(torch.randn(16, 3))), no)
    loss.backward()
    optimizers["generator"].step()  # fires: W204

    clear()
    loss = judge(critic(generator(torch.randn(16, 3))), yes)
    loss.backward()
    optimizers["critic"].step()
