"""A classifier with one output and a softmax over it."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(3)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.randn(32, 6)
labels = (inputs[:, :1] > 0).float()
for update in range(4):
    probabilities = torch.softmax(model(inputs), dim=1)  # fires: W401
    loss = F.binary_cross_entropy(probabilities, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
