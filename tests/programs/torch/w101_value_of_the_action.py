"""The critic judges the new action under no_grad, and only the penalty on its size trains the actor."""

import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(4):
    states, actions, targets = torch.randn(32, 3), torch.rand(32, 1), torch.randn(32, 1)
    critic_loss = nn.functional.mse_loss(critic(torch.cat([states, actions], 1)), targets)
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    action = actor(states)
    with torch.no_grad():
        judged = torch.cat([states, action], 1)  # fires: W101
        value = critic(judged)
    actor_loss = 0.01 * action.pow(2).mean() - value.mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
