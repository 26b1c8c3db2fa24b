"""TD learning: the online value slipped into the block that is there for the target."""
import copy

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
q_net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
target_net = copy.deepcopy(q_net)
state_scale = nn.Parameter(torch.ones(1))
optimizer = torch.optim.Adam([*q_net.parameters(), state_scale], lr=1e-3)

for update in range(5):
    states, next_states = torch.randn(8, 4), torch.randn(8, 4)
    actions, rewards = torch.randint(2, (8, 1)), torch.randn(8, 1)
    with torch.no_grad():
        best = target_net(next_states).max(dim=1, keepdim=True).values
        target = rewards + 0.99 * best
        q = q_net(states).gather(1, actions)  # fires: W101
    loss = F.mse_loss(q * state_scale, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    target_net.load_state_dict(q_net.state_dict())
