"""Meta-learning: a copy of the network is adapted by hand to be judged, with gradients that it is asked for."""

import copy

import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)


def adapted(model, inputs, targets, graph):
    weights = dict(model.named_parameters())
    loss = (functional_call(model, weights, (inputs,)) - targets).pow(2).mean()
    gradients = torch.autograd.grad(loss, weights.values(), create_graph=graph)
    return {name: w - 0.1 * g for (name, w), g in zip(weights.items(), gradients)}


for _ in range(4):
    inputs, targets = torch.randn(10, 3), torch.randn(10, 1)
    loss = (functional_call(net, adapted(net, inputs, targets, True), (inputs,)) - targets).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    other, (inputs, targets) = copy.deepcopy(net), (torch.randn(10, 3), torch.randn(10, 1))
    judged = functional_call(other, adapted(other, inputs, targets, False), (inputs,))
    print("error after one step", (judged - targets).pow(2).mean().item())
