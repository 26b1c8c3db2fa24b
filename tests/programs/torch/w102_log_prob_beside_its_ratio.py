"""V-trace with a stopped log-probability: its ratio, rightly unrecorded, weighs the loss and is in the targets."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
body, chances, value = nn.Linear(4, 16), nn.Linear(16, 2), nn.Linear(16, 1)
optimizer = torch.optim.Adam([*body.parameters(), *chances.parameters(), *value.parameters()], lr=1e-3)


def pi(states):
    return F.softmax(chances(F.relu(body(states))), 1)


for update in range(4):
    states, after, rewards = torch.randn(12, 4), torch.randn(12, 4), torch.randn(12, 1)
    actions = torch.randint(0, 2, (12, 1))
    behaviour = torch.rand(12, 1) * 0.5 + 0.25
    with torch.no_grad():
        ratio = torch.exp(torch.log(pi(states).gather(1, actions)) - torch.log(behaviour)).clamp(max=1.0)
        now, then = value(F.relu(body(states))), value(F.relu(body(after)))
        delta = ratio * (rewards + 0.98 * then - now)
        goal = now + delta
        advantage = rewards + 0.98 * then - now
    log_prob = torch.log(pi(states).gather(1, actions).detach())  # fires: W102
    loss = -ratio * log_prob * advantage + F.smooth_l1_loss(value(F.relu(body(states))), goal)
    optimizer.zero_grad()
    loss.mean().backward()
    optimizer.step()
