"""A Polyak average that binds a loop variable and writes nothing."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
critic_target = copy.deepcopy(critic)
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for update in range(6):
    states, rewards, following = torch.randn(16, 4), torch.randn(16, 1), torch.randn(16, 4)
    with torch.no_grad():
        target = rewards + 0.9 * critic_target(following)
    loss = (critic(states) - target).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for slow, fast in zip(critic_target.parameters(), critic.parameters()):
        slow = 0.005 * fast.data + 0.995 * slow.data  # fires: W503
