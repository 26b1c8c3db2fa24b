"""Learns, and has its gradients watched by a line of its own."""

import torch

import whygrad

net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
with whygrad.watch(net, optimizer):
    for _ in range(100):
        x = torch.randn(16, 3)
        loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("trained")
