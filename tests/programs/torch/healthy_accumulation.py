"""Gradient accumulation with clipping, a scheduler, and two optimizers for two parts."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
table, head = nn.Embedding(10, 6), nn.Linear(6, 2)
slow = torch.optim.SGD(table.parameters(), lr=0.01)
fast = torch.optim.AdamW(head.parameters(), lr=0.01)
schedule = torch.optim.lr_scheduler.StepLR(fast, step_size=2)
for step in range(12):
    logits = head(table(torch.randint(10, (4, 3))).mean(dim=1))
    loss = F.cross_entropy(logits, torch.randint(2, (4,))) / 3
    loss.backward()
    if step % 3 == 2:
        nn.utils.clip_grad_norm_([*table.parameters(), *head.parameters()], 1.0)
        slow.step()
        fast.step()
        schedule.step()
        slow.zero_grad()
        fast.zero_grad()
