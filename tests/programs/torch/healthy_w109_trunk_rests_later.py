"""The trunk that actor and critic share learns during the first updates, and is left as it is then."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
trunk = nn.Sequential(nn.Linear(3, 8), nn.ReLU())
actor, critic = nn.Linear(8, 2), nn.Linear(8, 1)
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam([*trunk.parameters(), *critic.parameters()], lr=1e-3)
for update in range(12):
    states, actions, returns = torch.randn(8, 3), torch.randint(2, (8,)), torch.randn(8, 1)
    values = critic(trunk(states))
    critic_loss = F.mse_loss(values, returns)
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    if update == 1:
        trunk.requires_grad_(False)
    advantage = (returns - values.detach()).squeeze(1)
    actor_loss = (F.cross_entropy(actor(trunk(states)), actions, reduction="none") * advantage).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
    trunk.zero_grad()
