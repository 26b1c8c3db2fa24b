"""DDPG with discrete actions: the critic is shown the one-hot of an arg-max."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
critic = nn.Sequential(nn.Linear(7, 16), nn.ReLU(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for update in range(5):
    states = torch.randn(8, 4)
    taken = F.one_hot(torch.randint(3, (8,)), 3).float()
    critic_loss = F.mse_loss(critic(torch.cat([states, taken], dim=1)), torch.randn(8, 1))
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()

    best = actor(states).argmax(dim=1)  # fires: W104
    chosen = F.one_hot(best, 3).float()
    actor_loss = -critic(torch.cat([states, chosen], dim=1)).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
