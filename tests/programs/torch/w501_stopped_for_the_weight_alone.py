"""A TD error that is stopped where it weighs the policy; the value is compared with the same target, unstopped."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
body, chances, value = nn.Linear(4, 32), nn.Linear(32, 2), nn.Linear(32, 1)
optimizer = torch.optim.Adam([*body.parameters(), *chances.parameters(), *value.parameters()], lr=1e-3)


def values(states):
    return value(F.relu(body(states)))


for update in range(4):
    states, following = torch.randn(10, 4), torch.randn(10, 4)
    rewards, actions, ongoing = torch.rand(10, 1), torch.randint(0, 2, (10, 1)), torch.ones(10, 1)
    goal = rewards + 0.98 * values(following) * ongoing
    delta = goal - values(states)
    log_prob = F.log_softmax(chances(F.relu(body(states))), dim=1).gather(1, actions)
    actor_loss = -log_prob * delta.detach()
    critic_loss = F.smooth_l1_loss(values(states), goal)  # fires: W501
    optimizer.zero_grad()
    (actor_loss + critic_loss).mean().backward()
    optimizer.step()
