"""The target is a deep copy; an alias of the online network under a third name is only for acting."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
online = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 2))
target, behaviour = copy.deepcopy(online), online
optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
for update in range(6):
    states, rewards, following = torch.randn(16, 4), torch.randn(16), torch.randn(16, 4)
    with torch.no_grad():
        actions = behaviour(states).argmax(dim=1)
        goal = rewards + 0.95 * target(following).max(dim=1).values
    loss = (online(states).gather(1, actions[:, None]).squeeze(1) - goal).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if update % 2 == 1:
        target.load_state_dict(online.state_dict())
