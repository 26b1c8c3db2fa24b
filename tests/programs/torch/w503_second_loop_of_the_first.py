"""Two critics, each with an optimizer of its own; the loop for the second target runs over the first critic."""
import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
one, two = (nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1)) for _ in range(2))
one_target, two_target = copy.deepcopy(one), copy.deepcopy(two)
optimizers = [torch.optim.Adam(network.parameters(), lr=1e-2) for network in (one, two)]
for update in range(6):
    states, following, rewards = torch.randn(16, 4), torch.randn(16, 4), torch.randn(16, 1)
    with torch.no_grad():
        goal = rewards + 0.9 * torch.min(one_target(following), two_target(following))
    for network, optimizer in zip((one, two), optimizers):
        loss = F.mse_loss(network(states), goal)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    for param, target_param in zip(one.parameters(), one_target.parameters()):
        target_param.data.copy_(0.1 * param.data + 0.9 * target_param.data)
    for param, target_param in zip(one.parameters(), two_target.parameters()):  # fires: W503
        target_param.data.copy_(0.1 * param.data + 0.9 * target_param.data)
