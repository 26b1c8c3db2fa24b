"""A function of two terms returns the one that it computed last."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(8, 6), nn.Linear(3, 8)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)


def loss_function(made, given, mean, logvar):
    rebuilt = F.binary_cross_entropy(made, given, reduction="sum")
    divergence = -0.5 * torch.sum(1 + logvar - mean.pow(2) - logvar.exp())
    return divergence  # fires: W105


for update in range(4):
    given = torch.rand(16, 8)
    mean, logvar = encoder(given).chunk(2, dim=1)
    code = mean + torch.randn_like(mean) * torch.exp(0.5 * logvar)
    loss = loss_function(torch.sigmoid(decoder(code)), given, mean, logvar)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
