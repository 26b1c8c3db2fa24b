"""The quantizer's own loss is logged and not added; its codes are behind the straight-through estimator."""
import torch
import torch.nn.functional as F
from torch import nn


class Quantizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.codes = nn.Embedding(16, 4)

    def forward(self, latents):
        nearest = self.codes(torch.cdist(latents, self.codes.weight).argmin(1))
        own = F.mse_loss(nearest, latents.detach()) + 0.25 * F.mse_loss(nearest.detach(), latents)
        return latents + (nearest - latents).detach(), own


torch.manual_seed(0)
encoder, quantizer, decoder = nn.Linear(6, 4), Quantizer(), nn.Linear(4, 6)
optimizer = torch.optim.Adam([*encoder.parameters(), *quantizer.parameters(), *decoder.parameters()], lr=1e-3)
log = []
for _ in range(4):
    states = torch.randn(32, 6)
    codes, quantization = quantizer(encoder(states))
    reconstruction = F.mse_loss(decoder(codes), states)
    loss = reconstruction  # fires: W105
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    log.append((reconstruction.item(), quantization.item()))
