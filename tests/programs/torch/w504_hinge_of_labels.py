"""A hinge loss of scores that are a column and labels that are a row: every score meets every label."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for update in range(5):
    x = torch.randn(32, 6)
    labels = torch.sign(x[:, 0])
    loss = F.relu(1 - labels * net(x)).mean()  # fires: W504
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
