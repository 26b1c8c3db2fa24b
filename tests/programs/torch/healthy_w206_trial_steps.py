"""Updates that are kept, and trial steps that are looked at and dropped."""

import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
inputs, labels = torch.randn(32, 3), torch.randn(32, 1)
for _ in range(4):
    loss = nn.functional.mse_loss(net(inputs), labels)
    net.zero_grad()
    loss.backward()
    with torch.no_grad():
        trials = {}
        for rate in (0.1, 0.01):
            moved = {name: p - rate * p.grad for name, p in net.named_parameters()}
            trials[rate] = nn.functional.mse_loss(functional_call(net, moved, (inputs,)), labels).item()
        best = min(trials, key=trials.get)
        for p in net.parameters():
            p -= best * p.grad
