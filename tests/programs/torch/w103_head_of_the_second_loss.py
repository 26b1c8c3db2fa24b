"""A judge with a head that only the second of two losses uses: there it goes through NumPy."""

import torch
from torch import nn

torch.manual_seed(0)


class Judge(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 16), nn.ReLU())
        self.real, self.code = nn.Linear(16, 1), nn.Linear(16, 2)

    def forward(self, images: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = self.body(images)
        code = torch.from_numpy(self.code(hidden).detach().numpy())  # fires: W103
        return self.real(hidden), code


judge, maker = Judge(), nn.Linear(4, 6)
judging = torch.optim.Adam(judge.parameters(), lr=1e-3)
informing = torch.optim.Adam([*maker.parameters(), *judge.parameters()], lr=1e-3)
for _ in range(4):
    judging.zero_grad()
    loss = nn.functional.softplus(-judge(torch.randn(8, 6))[0]).mean()
    loss.backward()
    judging.step()

    informing.zero_grad()
    noise = torch.randn(8, 4)
    real, code = judge(maker(noise))
    information = (code - noise[:, :2]).pow(2).mean() + nn.functional.softplus(-real).mean()
    information.backward()
    informing.step()
