"""Clipping in its place: once, per batch of an accumulation, after unscale_; and a norm that is only measured."""

import torch
from torch import nn

torch.manual_seed(7)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer, scaler = torch.optim.Adam(net.parameters()), torch.amp.GradScaler("cpu")
for _ in range(3):
    optimizer.zero_grad()
    for _part in range(2):
        nn.functional.mse_loss(net(torch.randn(8, 4)), torch.randn(8, 1)).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    optimizer.step()
    norm = nn.utils.clip_grad_norm_(net.parameters(), float("inf"))
    print(float(norm))
for _ in range(2):
    optimizer.zero_grad()
    scaler.scale(net(torch.randn(8, 4)).pow(2).mean()).backward()
    scaler.unscale_(optimizer)
    for parameter in net.parameters():
        parameter.grad.clamp_(-0.1, 0.1)
    scaler.step(optimizer)
    scaler.update()
