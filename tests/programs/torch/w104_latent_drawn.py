"""A variational autoencoder whose code is drawn, so that the reconstruction does not train the encoder."""

import torch
import torch.nn.functional as F
from torch import nn


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 8))
        self.decoder = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 20))

    def forward(self, x):
        mu, log_var = self.encoder(x).chunk(2, dim=1)
        z = torch.normal(mu, (0.5 * log_var).exp())  # fires: W104
        return self.decoder(z), mu, log_var


torch.manual_seed(0)
model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(6):
    x = torch.randn(16, 20)
    recon, mu, log_var = model(x)
    kl = -0.5 * (1 + log_var - mu.pow(2) - log_var.exp()).sum(1).mean()
    loss = F.mse_loss(recon, x) + 1e-3 * kl
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
