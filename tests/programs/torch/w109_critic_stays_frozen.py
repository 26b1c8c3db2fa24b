"""The critic is frozen for the actor's step and never thawed; its own update fails the second time."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
critic = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for update in range(3):
    states, actions = torch.randn(8, 3), torch.rand(8, 1)
    critic_loss = F.mse_loss(critic(torch.cat([states, actions], dim=1)), torch.randn(8, 1))
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    critic.requires_grad_(False)  # fires: W109
    actor_loss = -critic(torch.cat([states, actor(states)], dim=1)).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
