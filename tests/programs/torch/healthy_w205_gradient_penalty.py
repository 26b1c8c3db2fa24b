"""A WGAN with a gradient penalty: the critic's loss reaches the generator too, and is cleared there before its step."""

import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
generator_optimizer = torch.optim.Adam(generator.parameters(), lr=2e-4)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=2e-4)


def penalty(real: torch.Tensor, fake: torch.Tensor) -> torch.Tensor:
    share = torch.rand(len(real), 1)
    between = (share * real + (1 - share) * fake).requires_grad_()
    judged = critic(between)
    (slope,) = torch.autograd.grad(judged, between, torch.ones_like(judged), create_graph=True)
    return ((slope.norm(2, dim=1) - 1) ** 2).mean()


for update in range(6):
    critic_optimizer.zero_grad()
    noise, real = torch.randn(8, 4), torch.randn(8, 2) + 2
    fake = generator(noise)
    critic_loss = -critic(real).mean() + critic(fake).mean() + 10 * penalty(real, fake.data)
    critic_loss.backward()
    critic_optimizer.step()
    generator_optimizer.zero_grad()
    if update % 3 == 0:
        generator_loss = -critic(generator(noise)).mean()
        generator_loss.backward()
        generator_optimizer.step()
