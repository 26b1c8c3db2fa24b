"""Input gradients done right: a leaf, and an intermediate result that was asked to keep its gradient."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(4):
    image = torch.rand(4, 6).requires_grad_()
    labels = torch.randint(2, (4,))
    hidden = torch.tanh(net[0](image))
    hidden.retain_grad()
    F.cross_entropy(net[2](hidden), labels).backward()
    print(hidden.grad.abs().max().item())
    attacked = (image + 0.05 * image.grad.sign()).detach()
    loss = F.cross_entropy(net(attacked), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
