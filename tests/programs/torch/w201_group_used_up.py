"""Two groups; the filter of the first one was gone through by the optimizer before, and the next one has nothing."""

import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Linear(4, 16), nn.Linear(16, 2)
net = nn.Sequential(body, nn.ReLU(), head)
own = {id(parameter) for parameter in body.parameters()}
others = filter(lambda parameter: id(parameter) not in own, net.parameters())
optimizer = torch.optim.Adam([{"params": others, "lr": 1e-2}, {"params": body.parameters()}], lr=1e-3)
for epoch in range(3):
    for _ in range(4):
        loss = net(torch.randn(16, 4)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    groups = [{"params": others, "lr": 1e-2 / (epoch + 1)}, {"params": body.parameters()}]
    optimizer = torch.optim.Adam(groups, lr=1e-3)  # fires: W201
