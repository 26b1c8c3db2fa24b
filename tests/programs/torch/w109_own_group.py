"""Fine-tuning: the backbone has a learning rate of its own and is frozen all the same."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(6, 8), nn.ReLU())
head = nn.Linear(8, 2)
for parameter in backbone.parameters():
    parameter.requires_grad = False  # fires: W109
groups = [{"params": backbone.parameters(), "lr": 1e-4}, {"params": head.parameters(), "lr": 1e-2}]
optimizer = torch.optim.AdamW(groups)
for step in range(4):
    loss = F.cross_entropy(head(backbone(torch.randn(8, 6))), torch.randint(2, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
