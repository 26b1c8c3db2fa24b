"""A codec rounds by a function of its own whose backward returns zeros."""

import torch
from torch import nn


class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, gradient):
        return torch.zeros_like(gradient)


torch.manual_seed(0)
encoder, decoder = nn.Linear(8, 4), nn.Linear(4, 8)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
for _ in range(4):
    x = torch.randn(16, 8)
    code = Round.apply(4 * encoder(x))  # fires: W401
    loss = nn.functional.mse_loss(decoder(code / 4), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
