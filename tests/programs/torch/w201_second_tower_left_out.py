"""Two towers with a projection each; the optimizer is given that of one of them."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
pictures = nn.Sequential(nn.Linear(12, 16), nn.ReLU())
words = nn.Sequential(nn.Linear(6, 16), nn.ReLU())
picture_head, word_head = nn.Linear(16, 8), nn.Linear(16, 8)
learned = [*pictures.parameters(), *words.parameters(), *word_head.parameters()]
optimizer = torch.optim.Adam(learned, lr=1e-3)  # fires: W201
for step in range(6):
    left = F.normalize(picture_head(pictures(torch.randn(16, 12))), dim=1)
    right = F.normalize(word_head(words(torch.randn(16, 6))), dim=1)
    loss = F.cross_entropy(left @ right.T / 0.1, torch.arange(16))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
