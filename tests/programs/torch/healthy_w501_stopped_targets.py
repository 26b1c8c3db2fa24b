"""Targets that are stopped, each in another way; and both sides of a loss trained where that is right."""
import copy

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)


def mlp(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 32), nn.ReLU(), nn.Linear(32, outputs))


q_net, value_net, encoder = mlp(4, 3), mlp(4, 1), mlp(4, 8)
target_net = copy.deepcopy(q_net)  # its parameters still ask for gradients, and no optimizer holds them
optimizer = torch.optim.Adam([*q_net.parameters(), *value_net.parameters(), *encoder.parameters()], lr=1e-3)
for update in range(5):
    states, following, rewards = torch.randn(16, 4), torch.randn(16, 4), torch.randn(16)
    actions = torch.randint(0, 3, (16, 1))
    q = q_net(states).gather(1, actions).squeeze(1)
    chosen = q_net(following).argmax(dim=1, keepdim=True)  # double DQN
    double = rewards + 0.99 * target_net(following).gather(1, chosen).squeeze(1)
    with torch.no_grad():
        expected = rewards + 0.99 * value_net(following).squeeze(1)
    mixed = rewards + 0.99 * q_net(following).softmax(dim=1).mul(q_net(following)).sum(dim=1)
    one, two = encoder(states), encoder(states + 0.1 * following)
    pull = (one - two).pow(2).mean() + (one.pow(2).sum(dim=1) - 1).pow(2).mean()  # both views are trained
    loss = F.mse_loss(q, double) + F.mse_loss(value_net(states).squeeze(1), expected) + F.mse_loss(q, mixed.detach())
    optimizer.zero_grad()
    (loss + pull).backward()
    optimizer.step()
    for average, online in zip(target_net.parameters(), q_net.parameters()):
        average.data.lerp_(online.data, 0.01)
