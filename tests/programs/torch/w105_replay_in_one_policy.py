"""Actor and critic are parts of one policy, and the actor's loss is taken of the actions of the replay."""
import random

import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
random.seed(0)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
        self.critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))


policy = Policy()
actor_optimizer = torch.optim.Adam(policy.actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(policy.critic.parameters(), lr=1e-3)
memory = []
for step in range(40):
    state = torch.randn(3)
    with torch.no_grad():
        memory.append((state.numpy(), policy.actor(state).numpy()))
    if step < 20:
        continue
    batch = random.sample(memory, 16)
    states, actions = (torch.tensor(np.stack(column)) for column in zip(*batch))
    critic_loss = (policy.critic(torch.cat([states, actions], 1)) - states[:, :1]).pow(2).mean()
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    actor_loss = -policy.critic(torch.cat([states, actions], 1)).mean()  # fires: W105
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
