"""A trained network is attacked: the input is scaled after it was made a leaf."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)


def attacked(x, y):
    x.requires_grad = True
    x = (x - 0.5) / 0.5
    F.cross_entropy(model(x), y).backward()
    return (x + 0.1 * x.grad.sign()).detach()  # fires: W106


for step in range(12):
    x, y = torch.rand(8, 6), torch.randint(3, (8,))
    loss = F.cross_entropy(model((x - 0.5) / 0.5), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

for step in range(4):
    x, y = torch.rand(8, 6), torch.randint(3, (8,))
    try:
        x = attacked(x, y)
    except AttributeError:
        break
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
