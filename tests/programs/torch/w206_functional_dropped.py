"""torch.func: the step returns new parameters, and the loop goes on with the old ones."""

import torch
from torch import nn
from torch.func import functional_call, grad

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))


def loss_of(params, x, y):
    return (functional_call(net, params, (x,)) - y).pow(2).mean()


def sgd(params, grads, rate=0.1):
    return {name: p - rate * grads[name] for name, p in params.items()}


params = {name: p.detach() for name, p in net.named_parameters()}
for _ in range(4):
    x = torch.randn(16, 3)
    grads = grad(loss_of)(params, x, x[:, :1])
    sgd(params, grads)  # fires: W206
