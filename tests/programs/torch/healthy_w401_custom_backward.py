"""Functions with a backward of their own: one hands the gradient through, one turns it round, from nothing at first."""

import torch
from torch import nn


class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.weight = weight
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        return -ctx.weight * gradient, None


torch.manual_seed(0)
encoder, decoder, domain = nn.Linear(8, 4), nn.Linear(4, 8), nn.Linear(4, 2)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters(), *domain.parameters()], lr=1e-3)
for update in range(4):
    x, labels = torch.randn(16, 8), torch.randint(0, 2, (16,))
    code = Round.apply(4 * encoder(x)) / 4
    loss = nn.functional.mse_loss(decoder(code), x)
    loss = loss + nn.functional.cross_entropy(domain(Reverse.apply(code, 0.0 if update < 2 else 0.1)), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
