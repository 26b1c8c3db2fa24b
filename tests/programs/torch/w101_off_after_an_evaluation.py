"""An evaluation after the tenth update turns gradients off and never on again."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)


def evaluate(states, labels):
    torch.set_grad_enabled(False)  # fires: W101
    return (net(states).argmax(dim=1) == labels).float().mean().item()


for update in range(20):
    states = torch.randn(8, 4)
    loss = F.cross_entropy(net(states), (states[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if update == 9:
        evaluate(states, (states[:, 0] > 0).long())
