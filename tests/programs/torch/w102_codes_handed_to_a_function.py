"""A quantizer rightly hands its stopped codes to a function; the term that is to move them stops them as well."""
import torch
from torch import nn


class Nearest(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z, codes):
        return codes[torch.cdist(z, codes).argmin(1)]

    @staticmethod
    def backward(ctx, grad):
        return grad, None


torch.manual_seed(0)
encoder, decoder = nn.Linear(6, 4), nn.Linear(4, 6)
codes = nn.Embedding(8, 4)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters(), *codes.parameters()], lr=1e-2)
for step in range(6):
    x = torch.randn(16, 6)
    z = encoder(x)
    passed = Nearest.apply(z, codes.weight.detach())
    chosen = codes.weight.index_select(0, torch.cdist(z, codes.weight).argmin(1))
    code_loss = nn.functional.mse_loss(chosen.detach(), z)  # fires: W102
    commitment = nn.functional.mse_loss(z, chosen.detach())
    loss = nn.functional.mse_loss(decoder(passed), x) + code_loss + 0.25 * commitment
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
