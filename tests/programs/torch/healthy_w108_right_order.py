"""Steps before the next forward, writes under no_grad after backward, harmless in-place operations."""
import copy

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 8), nn.ReLU(inplace=True), nn.Linear(8, 1))
critic = nn.Sequential(nn.Linear(4, 8), nn.ReLU(inplace=True), nn.Linear(8, 1))
target = copy.deepcopy(critic)
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for update in range(5):
    states, actions = torch.randn(8, 3), torch.rand(8, 1)
    with torch.no_grad():
        wanted = 0.9 * target(torch.cat([states, actions], dim=1))
        wanted += 1.0
    critic_loss = F.mse_loss(critic(torch.cat([states, actions], dim=1)), wanted)
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    actor_loss = -critic(torch.cat([states, actor(states)], dim=1)).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
    with torch.no_grad():
        for old, new in zip(target.parameters(), critic.parameters()):
            old.mul_(0.99).add_(new, alpha=0.01)
