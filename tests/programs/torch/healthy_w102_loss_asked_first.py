"""Losses that are asked whether they take a gradient: in an evaluation, with a fixed factor, before a late start."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
body, head, late = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 2)
log_alpha = torch.zeros(1, requires_grad=False)
optimizer = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=1e-3)
late_optimizer = torch.optim.Adam(late.parameters(), lr=1e-3)


def learn(loss, optimizer):
    optimizer.zero_grad()
    if loss.requires_grad:
        loss.backward()
        optimizer.step()


with torch.no_grad():
    assert not head(body(torch.randn(2, 4))).requires_grad
for update in range(12):
    x = torch.randn(8, 4)
    features = torch.relu(body(x))
    learn((log_alpha.exp() * F.mse_loss(head(features).squeeze(1), x.sum(dim=1))), optimizer)
    logits = late(features.detach()) if update >= 6 else late(features.detach()).detach()
    learn(F.cross_entropy(logits, (x[:, 0] > 0).long()), late_optimizer)
