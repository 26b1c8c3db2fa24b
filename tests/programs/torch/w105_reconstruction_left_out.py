"""A variational autoencoder whose loss is the divergence alone: the reconstruction term is computed and dropped."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
encoder, decoder = nn.Linear(12, 8), nn.Linear(4, 12)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
for _ in range(4):
    images = torch.rand(16, 12)
    mean, log_var = encoder(images).chunk(2, dim=1)
    code = mean + torch.randn_like(mean) * (0.5 * log_var).exp()
    reconstruction = F.binary_cross_entropy_with_logits(decoder(code), images, reduction="sum")
    divergence = -0.5 * torch.sum(1 + log_var - mean.pow(2) - log_var.exp())
    loss = divergence  # fires: W105
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
