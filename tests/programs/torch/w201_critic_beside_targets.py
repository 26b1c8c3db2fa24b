"""TD3's critics are compared with targets that follow them; the optimizer was given the first one alone."""
import copy

import torch
from torch import nn


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 16)
        self.out = nn.Linear(16, 1)

    def forward(self, states, actions):
        return self.out(torch.relu(self.body(torch.cat([states, actions], 1))))


torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
first, second = Critic(), Critic()
first_target, second_target, actor_target = copy.deepcopy(first), copy.deepcopy(second), copy.deepcopy(actor)
critic_optimizer = torch.optim.Adam(list(first.parameters()), lr=1e-3)  # fires: W201
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
for step in range(12):
    states, actions, rewards, then = torch.randn(8, 3), torch.randn(8, 1), torch.randn(8), torch.randn(8, 3)
    with torch.no_grad():
        after = actor_target(then)
        best = torch.min(first_target(then, after), second_target(then, after))
        goal = rewards + 0.99 * best.view(-1)
    loss = nn.functional.mse_loss(first(states, actions).view(-1), goal)
    loss = loss + nn.functional.mse_loss(second(states, actions).view(-1), goal)
    critic_optimizer.zero_grad()
    loss.backward()
    critic_optimizer.step()
    if step % 2 == 0:
        actor_loss = -first(states, actor(states)).mean()
        actor_optimizer.zero_grad()
        actor_loss.backward()
        actor_optimizer.step()
        pairs = (actor, actor_target), (first, first_target), (second, second_target)
        for online, target in pairs:
            for new, old in zip(online.parameters(), target.parameters()):
                old.data.copy_(0.05 * new.data + 0.95 * old.data)
