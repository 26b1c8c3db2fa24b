"""Two towers; only the text tower is cut, and only it is named."""
import torch
from torch import nn
from torch.nn import functional as F


class TwoTowers(nn.Module):
    def __init__(self):
        super().__init__()
        self.image = nn.Linear(10, 6)
        self.text = nn.Sequential(nn.Linear(7, 9), nn.Tanh(), nn.Linear(9, 6))

    def forward(self, images, texts):
        seen = F.normalize(self.image(images), dim=1)
        read = F.normalize(self.text(texts), dim=1)
        return seen @ read.detach().T  # fires: W102


torch.manual_seed(0)
model = TwoTowers()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(5):
    logits = model(torch.randn(5, 10), torch.randn(5, 7))
    loss = F.cross_entropy(logits / 0.1, torch.arange(5))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
