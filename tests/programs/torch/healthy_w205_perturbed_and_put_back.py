"""Sharpness-aware training: a step uphill, a second gradient there, and back by what was kept or what was added."""
# The scales of the norms are all near one, and so is each after it was put back: none of them follows another.

import torch
from torch import nn

torch.manual_seed(0)


def block():
    return [nn.Linear(12, 12), nn.LayerNorm(12), nn.Tanh()]


inputs, labels = torch.randn(32, 12), torch.randint(0, 3, (32,))
for kept_whole in (True, False):
    net = nn.Sequential(*block(), *block(), *block(), nn.Linear(12, 3))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.001)
    for _ in range(6):
        nn.functional.cross_entropy(net(inputs), labels).backward()
        before, added = [], []
        with torch.no_grad():
            norm = torch.stack([p.grad.norm() for p in net.parameters()]).norm()
            for p in net.parameters():
                before.append(p.data.clone())
                added.append(p.grad * 0.5 / norm)
                p.add_(added[-1])
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(inputs), labels).backward()
        for p, old, step in zip(net.parameters(), before, added):
            if kept_whole:
                p.data = old
            else:
                p.data.sub_(step)
        optimizer.step()
        optimizer.zero_grad()
