"""One line backpropagates every loss of a dictionary; the last of them holds a row against a column."""

import torch
from torch import nn

torch.manual_seed(0)
nets = {name: nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1)) for name in ("a", "b", "c", "d")}
optimizers = {name: torch.optim.Adam(net.parameters(), lr=1e-3) for name, net in nets.items()}
for _ in range(8):
    states, returns = torch.randn(32, 4), torch.randn(32)
    losses = {
        "a": (nets["a"](states).squeeze(1) - returns).square().mean(),
        "b": (nets["b"](states).squeeze(1) - returns.abs()).square().mean(),
        "c": (nets["c"](states).squeeze(1) - returns.clamp_min(0)).square().mean(),
        "d": (nets["d"](states) - returns).square().mean(),  # fires: W504
    }
    for name, loss in losses.items():
        optimizers[name].zero_grad()
        loss.backward()
        optimizers[name].step()
