"""A critic whose own value is detached, while the target's gradient goes to copies that no optimizer holds."""

import copy

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
critic_target = copy.deepcopy(critic)
optimizer = torch.optim.Adam(critic.parameters(), 1e-3)

for _ in range(5):
    state, after, reward = torch.randn(16, 4), torch.randn(16, 4), torch.randn(16, 1)
    value = critic(state).detach()  # fires: W102
    target = reward + 0.99 * critic_target(after)
    loss = F.smooth_l1_loss(value, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

    for one, two in zip(critic.parameters(), critic_target.parameters(), strict=True):
        two.data.copy_(0.01 * one.data + 0.99 * two.data)
