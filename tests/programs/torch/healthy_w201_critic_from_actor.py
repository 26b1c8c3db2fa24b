"""The critic gets a gradient from the actor loss that nobody applies: its own optimizer clears it."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
critic = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
scale = torch.ones(1, requires_grad=True)
for update in range(5):
    states, actions = torch.randn(8, 3), torch.rand(8, 1)
    critic_loss = F.mse_loss(critic(torch.cat([states, actions], dim=1)), torch.randn(8, 1))
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    actor_loss = -(scale * critic(torch.cat([states, actor(states)], dim=1))).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
    with torch.no_grad():
        scale -= 0.01 * scale.grad
        scale.grad = None
