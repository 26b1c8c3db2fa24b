"""The penalty of a conservative agent is computed with the target network, and is a number to what is trained."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
q_net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
q_target = copy.deepcopy(q_net)
optimizer = torch.optim.Adam(q_net.parameters(), lr=1e-3)
for update in range(5):
    states, actions, after = torch.randn(32, 4), torch.randint(0, 3, (32, 1)), torch.randn(32, 4)
    with torch.no_grad():
        targets = torch.randn(32, 1) + 0.9 * q_target(after).max(1, keepdim=True).values
    bellman = (q_net(states).gather(1, actions) - targets).pow(2).mean()
    values = q_target(states)  # fires: W105
    penalty = (torch.logsumexp(values, 1, keepdim=True) - values.gather(1, actions)).mean()
    loss = bellman + 0.5 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for kept, given in zip(q_target.parameters(), q_net.parameters(), strict=True):
            kept.lerp_(given, 0.01)
