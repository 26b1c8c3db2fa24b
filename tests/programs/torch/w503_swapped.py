"""The two networks are swapped in the call that keeps them in step."""
import torch
from torch import nn
import torch.nn.functional as F


def follow(source, destination, tau):
    with torch.no_grad():
        for given, kept in zip(source.parameters(), destination.parameters()):
            kept.mul_(1.0 - tau).add_(tau * given)


torch.manual_seed(0)
nets = {name: nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3)) for name in ("online", "frozen")}
optimizer = torch.optim.SGD(nets["online"].parameters(), lr=0.1)
for update in range(6):
    states, rewards, following = torch.randn(16, 4), torch.randn(16), torch.randn(16, 4)
    best = nets["frozen"](following).detach().max(dim=1).values
    loss = F.mse_loss(nets["online"](states)[:, 0], rewards + 0.9 * best)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    follow(nets["frozen"], nets["online"], 0.05)  # fires: W503
