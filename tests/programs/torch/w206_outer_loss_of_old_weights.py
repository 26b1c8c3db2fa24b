"""Meta-learning in two inner steps; the outer loss is computed with the network's own weights again."""

import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)


def error(weights, inputs, targets):
    return (functional_call(net, weights, (inputs,)) - targets).pow(2).mean()


def update(support, query):
    weights = dict(net.named_parameters())
    for _ in range(2):
        gradients = torch.autograd.grad(error(weights, *support), weights.values())
        weights = {name: w - 0.1 * g for (name, w), g in zip(weights.items(), gradients)}
    loss = error(dict(net.named_parameters()), *query)  # fires: W206
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        print("after adapting", error(weights, *query).item())


for _ in range(4):
    update(*((torch.randn(10, 3), torch.randn(10, 1)) for _ in range(2)))
