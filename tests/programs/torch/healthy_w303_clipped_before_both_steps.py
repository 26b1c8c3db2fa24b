"""Both losses, both clippings, then both steps; and a clipping of everything before a step of one part."""

import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

torch.manual_seed(0)
body, head, other = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(4, 1)
optimizers = [torch.optim.Adam([*body.parameters(), *head.parameters()]), torch.optim.Adam(other.parameters())]
for update in range(6):
    x, y = torch.randn(16, 4), torch.randn(16, 1)
    for optimizer in optimizers:
        optimizer.zero_grad()
    nn.functional.mse_loss(head(torch.tanh(body(x))), y).backward()
    nn.functional.mse_loss(other(x), y).backward()
    clip_grad_norm_([*body.parameters(), *head.parameters()], 1.0)
    clip_grad_norm_(other.parameters(), 1.0)
    optimizers[0].step()
    if update % 2:
        optimizers[1].step()
