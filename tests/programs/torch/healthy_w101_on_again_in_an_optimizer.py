"""An optimizer of one's own switches gradients off for its arithmetic, and on again."""

import torch
from torch import nn


class SignDescent(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    def step(self, closure=None):
        torch.set_grad_enabled(False)
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.sub_(p.grad.sign(), alpha=group["lr"])
        torch.set_grad_enabled(True)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = SignDescent(net.parameters(), lr=1e-3)
for _ in range(3):
    loss = net(torch.randn(16, 3)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
