"""A colon instead of the numbers of the rows: each row of values is read at the actions of all rows."""
import torch
from torch import nn

torch.manual_seed(0)
q_net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(q_net.parameters(), lr=1e-3)
for update in range(5):
    states, actions, returns = torch.randn(32, 4), torch.randint(0, 3, (32,)), torch.randn(32)
    chosen = q_net(states)[:, actions]  # fires: W504
    loss = (chosen - returns).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
