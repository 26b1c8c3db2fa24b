"""Each parameter has an optimizer of its own, which clips, steps and clears while backward() runs."""

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizers = {p: torch.optim.Adam([p], lr=1e-2) for p in net.parameters()}


def update(parameter):
    nn.utils.clip_grad_value_(parameter, 0.25)
    optimizers[parameter].step()
    optimizers[parameter].zero_grad()


for parameter in net.parameters():
    parameter.register_post_accumulate_grad_hook(update)
for _ in range(8):
    x = torch.randn(16, 4)
    F.mse_loss(net(x), x.sum(1, keepdim=True)).backward()
