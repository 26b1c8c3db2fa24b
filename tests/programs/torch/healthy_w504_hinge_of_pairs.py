"""A hinge loss over all pairs, as ranking wants it, and one over labels of the same shape as the scores."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for update in range(5):
    x = torch.randn(32, 6)
    worth, labels = x[:, 1], torch.sign(x[:, :1])
    scores = net(x)
    apart = scores - scores.t()
    order = torch.sign(worth[:, None] - worth[None, :])
    loss = F.relu(1 - order * apart).mean() + F.relu(1 - labels * scores).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
