"""Encoders that learn without labels, each with a probe on its detached code: two views, and a teacher to follow."""

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
encoder, probe = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 8)), nn.Linear(8, 3)
student, test = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 8)), nn.Linear(8, 3)
teacher = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 8)).requires_grad_(False)
first = torch.optim.Adam([*encoder.parameters(), *probe.parameters()], lr=1e-3)
second = torch.optim.Adam([*student.parameters(), *test.parameters()], lr=1e-3)
for _ in range(4):
    x, labels = torch.randn(16, 12), torch.randint(0, 3, (16,))
    one, two = (encoder(x + 0.1 * torch.randn_like(x)) for _ in range(2))
    spread = sum(F.relu(1 - torch.sqrt(z.var(0) + 1e-4)).mean() for z in (one, two))
    loss = F.mse_loss(one, two) + spread + F.cross_entropy(probe(one.detach()), labels)
    first.zero_grad()
    loss.backward()
    first.step()
    code = student(x)
    loss = F.mse_loss(code, teacher(x)) + F.cross_entropy(test(code.detach()), labels)
    second.zero_grad()
    loss.backward()
    second.step()
