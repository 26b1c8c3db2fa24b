"""One of two critics is frozen for the actor's step and never thawed; their optimizer goes on with the other."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
first = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
second = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam([*first.parameters(), *second.parameters()], lr=1e-3)
for update in range(10):
    states, actions, returns = torch.randn(8, 3), torch.rand(8, 1), torch.randn(8, 1)
    pairs = torch.cat([states, actions], dim=1)
    critic_loss = F.mse_loss(first(pairs), returns) + F.mse_loss(second(pairs), returns)
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    if update % 2:
        continue
    first.requires_grad_(False)  # fires: W109
    actor_loss = -first(torch.cat([states, actor(states)], dim=1)).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
