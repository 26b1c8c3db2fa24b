"""Low-rank matrices learn beside those of a model that keeps its own: these, biases and norms have idle gradients."""
import torch
from torch import nn
from torch.nn.utils import parametrize


class LowRank(nn.Module):
    def __init__(self, rows, columns):
        super().__init__()
        self.down = nn.Parameter(torch.randn(2, columns) * 0.1)
        self.up = nn.Parameter(torch.zeros(rows, 2))

    def forward(self, weight):
        return weight + self.up @ self.down


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 4))
adapters = []
for layer in (model[0], model[3]):
    adapters.append(LowRank(*layer.weight.shape))
    parametrize.register_parametrization(layer, "weight", adapters[-1])
optimizer = torch.optim.Adam([p for adapter in adapters for p in adapter.parameters()], lr=1e-2)
for step in range(8):
    x = torch.randn(16, 4)
    loss = (model(x) - x.flip(1)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
