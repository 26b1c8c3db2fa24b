"""An old encoder with its old head stays, and so does one whose features are held fast: neither is predicted anew."""
import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder, head = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8)), nn.Linear(8, 4)
optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=1e-3)
for update in range(3):
    x, labels = torch.randn(16, 8), torch.randint(0, 2, (16,))
    loss = F.cross_entropy(head(encoder(x)), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
old_encoder, old_head = copy.deepcopy(encoder).requires_grad_(False), copy.deepcopy(head).requires_grad_(False)
predictor = nn.Linear(8, 8)
optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters(), *predictor.parameters()], lr=1e-3)
for update in range(6):
    x, labels = torch.randn(16, 8), torch.randint(2, 4, (16,))
    said = head(encoder(x))
    with torch.no_grad():
        features = old_encoder(x)
        kept = old_head(features).softmax(-1)
    loss = F.cross_entropy(said, labels) + F.kl_div(said.log_softmax(-1), kept, reduction="batchmean")
    loss = loss + F.mse_loss(predictor(encoder(x)), features)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
