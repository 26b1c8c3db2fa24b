"""One critic with a fast and a slow target, both of which make its targets; a value of the same build has its own."""
import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
critic, other = (nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1)) for _ in range(2))
fast, slow = copy.deepcopy(critic), copy.deepcopy(critic)
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-2)
other_optimizer = torch.optim.Adam(other.parameters(), lr=1e-2)
for update in range(6):
    states, following, rewards = torch.randn(16, 4), torch.randn(16, 4), torch.randn(16, 1)
    with torch.no_grad():
        goal = rewards + 0.9 * torch.min(fast(following), slow(following))
    loss = F.mse_loss(critic(states), goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    other_loss = F.mse_loss(other(states), rewards)
    other_optimizer.zero_grad()
    other_loss.backward()
    other_optimizer.step()
    for average, share in ((fast, 0.5), (slow, 0.01)):
        for kept, given in zip(average.parameters(), critic.parameters()):
            kept.data.lerp_(given.data, share)
