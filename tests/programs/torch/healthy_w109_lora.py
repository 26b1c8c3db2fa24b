"""LoRA: the base is frozen, all parameters go to the optimizer, the adapters train."""
import torch
from torch import nn
from torch.nn import functional as F


class LoraLinear(nn.Module):
    def __init__(self, size_in, size_out, rank=2):
        super().__init__()
        self.base = nn.Linear(size_in, size_out).requires_grad_(False)
        self.down = nn.Linear(size_in, rank, bias=False)
        self.up = nn.Linear(rank, size_out, bias=False)

    def forward(self, x):
        return self.base(x) + self.up(self.down(x))


torch.manual_seed(0)
model = nn.Sequential(LoraLinear(6, 8), nn.ReLU(), LoraLinear(8, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
for step in range(4):
    loss = F.cross_entropy(model(torch.randn(8, 6)), torch.randint(2, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
