"""Meta-learning: the query loss is computed with the adapted parameters."""

import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
outer = torch.optim.Adam(net.parameters(), lr=1e-3)


def loss(params, x, y):
    return ((functional_call(net, params, (x,)) - y) ** 2).mean()


for _ in range(4):
    outer.zero_grad()
    x, query = torch.randn(8, 1), torch.randn(8, 1)
    params = dict(net.named_parameters())
    grads = torch.autograd.grad(loss(params, x, x.sin()), list(params.values()), create_graph=True)
    adapted = {name: p - 0.1 * g for (name, p), g in zip(params.items(), grads, strict=True)}
    loss(adapted, query, query.sin()).backward()
    outer.step()
