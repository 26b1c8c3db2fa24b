"""Infinities that are meant: masked logits, a logarithm that is cleaned before it, NaN in a metric, a skipped step."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
allowed = torch.tensor([True, False, True, True, False])
for update in range(6):
    states = torch.randn(16, 4)
    logits = net(states).masked_fill(~allowed, float("-inf"))
    log_probs = F.log_softmax(logits, dim=-1)
    probs = log_probs.exp()
    entropy = -(probs * log_probs.masked_fill(~allowed, 0.0)).sum(dim=-1).mean()
    share = probs.detach()
    metric = (share / (share - share)).mean().item()
    safe = torch.where(states > 0, states, torch.ones_like(states))
    bonus = torch.where(states > 0, safe.log(), torch.zeros_like(states)).mean()
    loss = -log_probs[:, 0].mean() - 0.01 * entropy + 0.0 * bonus
    if update == 3:
        loss = loss / (loss - loss).detach()
    if not torch.isfinite(loss):
        continue
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
