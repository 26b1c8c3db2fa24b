"""A validation pass turns gradients off and nobody turns them on again; the second epoch fails."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def validate(inputs, labels):
    torch.set_grad_enabled(False)  # fires: W101
    return (net(inputs).argmax(dim=1) == labels).float().mean().item()


for epoch in range(2):
    inputs, labels = torch.randn(8, 3), torch.randint(2, (8,))
    loss = F.cross_entropy(net(inputs), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, validate(torch.randn(8, 3), torch.randint(2, (8,))))
