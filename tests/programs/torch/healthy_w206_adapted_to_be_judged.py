"""Plain training; between the updates, a few steps on new data show how well the network adapts."""

import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)


def judge(inputs, targets):
    weights = dict(net.named_parameters())
    for _ in range(2):
        loss = (functional_call(net, weights, (inputs,)) - targets).pow(2).mean()
        gradients = torch.autograd.grad(loss, weights.values())
        weights = {name: w - 0.1 * g for (name, w), g in zip(weights.items(), gradients)}
    with torch.no_grad():
        return (functional_call(net, weights, (inputs,)) - targets).pow(2).mean().item()


for _ in range(4):
    print("after adapting", judge(torch.randn(10, 3), torch.randn(10, 1)))
    loss = (net(torch.randn(10, 3)) - torch.randn(10, 1)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
