"""An actor-critic with a loss for each row: the line that takes its mean and calls backward() is not there."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
body, policy, value = nn.Linear(4, 16), nn.Linear(16, 2), nn.Linear(16, 1)
optimizer = torch.optim.Adam([*body.parameters(), *policy.parameters(), *value.parameters()], lr=1e-3)
for _ in range(5):
    states, after = torch.randn(10, 4), torch.randn(10, 4)
    actions, rewards = torch.randint(2, (10, 1)), torch.rand(10, 1)
    target = rewards + 0.98 * value(torch.relu(body(after)))
    hidden = torch.relu(body(states))
    delta = target - value(hidden)
    taken = torch.softmax(policy(hidden), dim=1).gather(1, actions)
    loss = -torch.log(taken) * delta.detach() + F.smooth_l1_loss(value(hidden), target.detach())
    optimizer.zero_grad()
    optimizer.step()  # fires: W302
