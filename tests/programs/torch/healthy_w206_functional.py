"""torch.func: the new parameters are kept, and written into the network at the end."""

import torch
from torch import nn
from torch.func import functional_call, grad, grad_and_value

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))


def loss_of(params, x, y):
    return (functional_call(net, params, (x,)) - y).pow(2).mean()


params = {name: p.detach() for name, p in net.named_parameters()}
for _ in range(4):
    x = torch.randn(16, 3)
    grads, value = grad_and_value(loss_of)(params, x, x[:, :1])
    params = {name: p - 0.1 * grads[name] for name, p in params.items()}
net.load_state_dict(params)
for _ in range(3):
    x = torch.randn(16, 3)
    grads = grad(loss_of)(dict(net.named_parameters()), x, x[:, :1])
    with torch.no_grad():
        for name, p in net.named_parameters():
            p -= 0.1 * grads[name]
