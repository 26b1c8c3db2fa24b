"""TD3: the actor is updated only every third time; one optimizer per network."""
import copy

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
critics = nn.ModuleList([nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1)) for _ in range(2)])
actor_target, critics_target = copy.deepcopy(actor), copy.deepcopy(critics)
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critics.parameters(), lr=1e-3)
for update in range(9):
    states, actions, rewards, following = torch.randn(8, 3), torch.rand(8, 1), torch.randn(8, 1), torch.randn(8, 3)
    with torch.no_grad():
        next_pair = torch.cat([following, actor_target(following)], dim=1)
        target = rewards + 0.99 * torch.min(*[critic(next_pair) for critic in critics_target])
    pair = torch.cat([states, actions], dim=1)
    critic_loss = sum(F.mse_loss(critic(pair), target) for critic in critics)
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    if update % 3 == 2:
        actor_loss = -critics[0](torch.cat([states, actor(states)], dim=1)).mean()
        actor_optimizer.zero_grad()
        actor_loss.backward()
        actor_optimizer.step()
        with torch.no_grad():
            for copied, trained in ((actor_target, actor), (critics_target, critics)):
                for old, new in zip(copied.parameters(), trained.parameters()):
                    old.lerp_(new, 0.01)
