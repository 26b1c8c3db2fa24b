"""Two critics of one class, each with an optimizer of its own: one is trained twice, the other never."""
import torch
import torch.nn.functional as F
from torch import nn


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
        self.optimizer = torch.optim.Adam(self.parameters(), lr=1e-3)

    def forward(self, states, actions):
        return self.body(torch.cat([states, actions], 1))

    def fit(self, goal, states, actions):
        loss = F.smooth_l1_loss(self(states, actions), goal)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(4, 1), nn.Tanh())
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
first, second = Critic(), Critic()
for update in range(5):
    states, actions, goal = torch.randn(16, 4), torch.rand(16, 1), torch.randn(16, 1)
    first.fit(goal, states, actions)
    first.fit(goal, states, actions)  # fires: W201
    chosen = actor(states)
    actor_loss = -torch.min(first(states, chosen), second(states, chosen)).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
