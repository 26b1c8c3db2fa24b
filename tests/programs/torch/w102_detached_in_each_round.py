"""An inner loop detaches its fast weights in every round: one line, however many walls it makes."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
start = nn.ParameterList([nn.Parameter(0.3 * torch.randn(8, 3)), nn.Parameter(0.3 * torch.randn(1, 8))])
meta = torch.optim.Adam(start.parameters(), lr=1e-3)


def forward(weights, x):
    return F.linear(torch.tanh(F.linear(x, weights[0])), weights[1])


for _ in range(5):
    x, y = torch.randn(12, 3), torch.randn(12, 1)
    fast = list(start)
    for _ in range(3):
        grads = torch.autograd.grad(F.mse_loss(forward(fast, x[:6]), y[:6]), fast)
        fast = [(w - 0.1 * g).detach().requires_grad_() for w, g in zip(fast, grads)]  # fires: W102
    loss = F.mse_loss(forward(fast, x[6:]), y[6:])
    meta.zero_grad()
    loss.backward()
    meta.step()
