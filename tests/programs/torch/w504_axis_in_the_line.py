"""The line of the loss itself makes a column of the values, and squares every difference of the batch."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
q_net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
target_net = copy.deepcopy(q_net)
optimizer = torch.optim.Adam(q_net.parameters(), lr=1e-3)
for update in range(5):
    states, actions, after = torch.randn(32, 4), torch.randint(0, 2, (32, 1)), torch.randn(32, 4)
    with torch.no_grad():
        targets = torch.randn(32) + 0.9 * target_net(after).max(1).values
    chosen = q_net(states).gather(1, actions).squeeze(1)
    loss = ((chosen.unsqueeze(1) - targets) ** 2).mean()  # fires: W504
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    target_net.load_state_dict(q_net.state_dict())
