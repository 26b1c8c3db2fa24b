"""Two critics with targets; the loop that moves the second target goes over the first target's parameters."""
import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
one, two = (nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1)) for _ in range(2))
one_target, two_target = copy.deepcopy(one), copy.deepcopy(two)
optimizer = torch.optim.Adam([*one.parameters(), *two.parameters()], lr=1e-2)
for update in range(6):
    states, following, rewards = torch.randn(16, 4), torch.randn(16, 4), torch.randn(16, 1)
    with torch.no_grad():
        goal = rewards + 0.9 * torch.min(one_target(following), two_target(following))
    loss = F.mse_loss(one(states), goal) + F.mse_loss(two(states), goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for param, target_param in zip(one.parameters(), one_target.parameters()):
        target_param.data.copy_(0.1 * param.data + 0.9 * target_param.data)
    for param, target_param in zip(two.parameters(), one_target.parameters()):  # fires: W503
        target_param.data.copy_(0.1 * param.data + 0.9 * target_param.data)
