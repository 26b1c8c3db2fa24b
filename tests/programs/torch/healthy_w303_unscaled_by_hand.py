"""Scaled losses whose gradients are unscaled before the optimizer steps by itself: by the scaler, and by hand."""

import torch
from torch import nn

torch.manual_seed(0)
nets = [nn.Linear(6, 1) for _ in range(3)]
optimizers = [torch.optim.Adam(net.parameters(), lr=1e-3) for net in nets]
scaler, off = torch.amp.GradScaler("cpu", init_scale=1024.0), torch.amp.GradScaler("cpu", enabled=False)
for _ in range(4):
    x, y = torch.randn(16, 6), torch.randn(16, 1)
    for optimizer in optimizers:
        optimizer.zero_grad()
    scaler.scale(nn.functional.mse_loss(nets[0](x), y)).backward()
    scaler.unscale_(optimizers[0])
    scaler.scale(nn.functional.mse_loss(nets[1](x), y)).backward()
    for parameter in nets[1].parameters():
        parameter.grad.div_(1024.0)
    off.scale(nn.functional.mse_loss(nets[2](x), y)).backward()
    for optimizer in optimizers:
        optimizer.step()
    scaler.update()
