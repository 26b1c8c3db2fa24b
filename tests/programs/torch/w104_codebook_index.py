"""A small VQ-VAE; the straight-through estimator was left out."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class VectorQuantizer(nn.Module):
    def __init__(self, k=16, d=8):
        super().__init__()
        self.codebook = nn.Embedding(k, d)
        self.codebook.weight.data.uniform_(-1 / k, 1 / k)

    def forward(self, z):
        dist = z.pow(2).sum(1, keepdim=True) - 2 * z @ self.codebook.weight.t() + self.codebook.weight.pow(2).sum(1)
        idx = dist.argmin(1)  # fires: W104
        q = self.codebook(idx)
        vq = F.mse_loss(q, z.detach())
        return q, vq


class VQVAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 8))
        self.vq = VectorQuantizer()
        self.decoder = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 20))

    def forward(self, x):
        q, vq = self.vq(self.encoder(x))
        return self.decoder(q), vq


torch.manual_seed(0)
m = VQVAE()
opt = torch.optim.Adam(m.parameters(), lr=2e-3)
data = torch.randn(256, 20)
for step in range(8):
    x = data[torch.randint(0, 256, (32,))]
    recon, vq = m(x)
    loss = F.mse_loss(recon, x) + vq
    opt.zero_grad()
    loss.backward()
    opt.step()
