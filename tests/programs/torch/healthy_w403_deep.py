"""Deep networks that keep their gradient: normalised, residual, and a small sigmoid one."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(12)])

    def forward(self, x):
        for layer in self.layers:
            x = x + torch.tanh(layer(x))
        return x


normal = nn.Sequential(*[m for _ in range(12) for m in (nn.Linear(8, 8), nn.LayerNorm(8), nn.Sigmoid())])
small = nn.Sequential(nn.Linear(8, 8), nn.Sigmoid(), nn.Linear(8, 8), nn.Sigmoid(), nn.Linear(8, 1))
for model in (Residual(), normal, small):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for update in range(4):
        output = model(torch.randn(32, 8))
        loss = F.mse_loss(output, torch.randn_like(output))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
