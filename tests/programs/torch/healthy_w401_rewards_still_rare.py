"""No episode has met a reward yet: advantages and returns are zero, and the training goes on."""
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam([*policy.parameters(), *critic.parameters()], lr=1e-2)

for _ in range(5):
    states = torch.randn(32, 4)
    actions = Categorical(logits=policy(states)).sample()
    returns = np.zeros(32, np.float32)
    chances = Categorical(logits=policy(states)).log_prob(actions)
    gain = (chances * torch.as_tensor(returns)).mean()
    loss = ((critic(states).squeeze(1) - torch.as_tensor(returns)) ** 2).mean() - gain
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
