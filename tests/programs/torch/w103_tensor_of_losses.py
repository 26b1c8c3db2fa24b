"""Two losses put into torch.tensor([...]): that takes their numbers, and `requires_grad=True` hides the loss of it."""

import warnings

import torch
from torch import nn
from torch.nn import functional as F

warnings.simplefilter("ignore")  # PyTorch warns of the conversion to numbers, once
torch.manual_seed(0)
first, second = nn.Linear(4, 1), nn.Linear(4, 1)
optimizer = torch.optim.Adam([*first.parameters(), *second.parameters()], lr=1e-2)
for _ in range(4):
    inputs = torch.randn(16, 4)
    targets = inputs.sum(dim=1, keepdim=True)
    losses = [F.mse_loss(first(inputs), targets), F.mse_loss(second(inputs), targets)]
    total = torch.tensor(losses, requires_grad=True).sum()  # fires: W103
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
