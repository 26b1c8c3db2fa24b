"""VQ-VAE: arg-min picks a code, the gradient goes straight through; codebook and commitment terms."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
encoder, decoder, codebook = nn.Linear(6, 3), nn.Linear(3, 6), nn.Embedding(5, 3)
parameters = [*encoder.parameters(), *decoder.parameters(), *codebook.parameters()]
optimizer = torch.optim.Adam(parameters, lr=1e-3)
for step in range(5):
    batch = torch.randn(8, 6)
    latent = encoder(batch)
    index = torch.cdist(latent, codebook.weight).argmin(dim=1)
    code = codebook(index)
    passed = latent + (code - latent).detach()
    rounded = latent + (latent.round() - latent).detach()
    loss = F.mse_loss(decoder(passed), batch) + F.mse_loss(code, latent.detach())
    loss = loss + 0.25 * F.mse_loss(latent, code.detach()) + 0.1 * F.mse_loss(decoder(rounded), batch)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
