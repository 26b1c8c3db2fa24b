"""Contrastive views with a predictor on one side: the other pairs of the batch keep the features apart."""
import torch
from torch import nn

torch.manual_seed(0)


class Views(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 16), nn.BatchNorm1d(16, affine=False))
        self.predictor = nn.Sequential(nn.Linear(16, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 16))

    def forward(self, one, two):
        z1, z2 = self.encoder(one), self.encoder(two)
        return self.predictor(z1), self.predictor(z2), z1, z2


model, criterion = Views(), nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
for _ in range(5):
    x = torch.randn(32, 8)
    p1, p2, z1, z2 = model(x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x))
    pairs = torch.arange(len(x))
    loss = criterion((p1[:, None] * z2).sum(-1) / 4, pairs) + criterion((p2[:, None] * z1).sum(-1) / 4, pairs)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
