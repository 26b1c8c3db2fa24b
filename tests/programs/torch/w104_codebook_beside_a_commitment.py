"""VQ-VAE without the straight-through step: of the encoder's reasons to learn the commitment alone is left."""

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
encoder, decoder, codebook = nn.Linear(12, 4), nn.Linear(4, 12), nn.Embedding(16, 4)
codebook.weight.data.uniform_(-1, 1)
layers = nn.ModuleList([encoder, decoder, codebook])
optimizer = torch.optim.Adam(layers.parameters(), lr=1e-3)
for _ in range(4):
    x = torch.randn(32, 12)
    code = encoder(x)
    distance = code.pow(2).sum(1, keepdim=True) + codebook.weight.pow(2).sum(1) - 2 * code @ codebook.weight.t()
    index = torch.argmin(distance, dim=1).unsqueeze(1)  # fires: W104
    chosen = torch.zeros(32, 16).scatter_(1, index, 1) @ codebook.weight
    quantised = 0.25 * F.mse_loss(code, chosen.detach()) + F.mse_loss(chosen, code.detach())
    loss = F.mse_loss(decoder(chosen), x) + quantised
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
