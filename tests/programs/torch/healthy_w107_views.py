"""Views of a parameter that were taken once: they lie in its memory, and a step changes them along with it."""
import torch
from torch import nn
from torch.nn import functional as F


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(6, 3, bias=False)
        self.back = self.encoder.weight.t()
        self.table = nn.Parameter(torch.randn(4, 3))
        self.rows = self.table[:2].unsqueeze(0)
        self.factor = nn.Parameter(torch.ones(3))
        self.square = torch.outer(self.factor, self.factor)

    def forward(self, x):
        codes = self.encoder(x)
        self.square = torch.outer(self.factor, self.factor)
        return F.linear(codes @ self.square + self.rows.sum(dim=1), self.back)


torch.manual_seed(0)
model = Tied()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for update in range(6):
    x = torch.randn(16, 6)
    loss = F.mse_loss(model(x), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
