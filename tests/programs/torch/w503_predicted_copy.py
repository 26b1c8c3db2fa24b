"""A network that learns to predict its own slow copy from another view, and the copy is never moved."""
import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 8))
projector = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 6))
predictor = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 6))
online = nn.Sequential(encoder, projector)
slow = copy.deepcopy(online).requires_grad_(False)  # fires: W503
optimizer = torch.optim.Adam([*online.parameters(), *predictor.parameters()], lr=1e-3)


def distance(one, other):
    return 2 - 2 * (F.normalize(one, dim=-1) * F.normalize(other, dim=-1)).sum(-1)


for update in range(6):
    data = torch.rand(16, 12)
    one, two = data + 0.1 * torch.randn_like(data), data + 0.1 * torch.randn_like(data)
    said_one, said_two = predictor(online(one)), predictor(online(two))
    with torch.no_grad():
        slow_one, slow_two = slow(one), slow(two)
    loss = (distance(said_one, slow_two) + distance(said_two, slow_one)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
