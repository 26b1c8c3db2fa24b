"""Q-learning without a target network, and nobody stopped the target."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
q_net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(q_net.parameters(), lr=1e-3)


def td_loss(states, actions, rewards, following, done):
    q = q_net(states).gather(1, actions.unsqueeze(1)).squeeze(1)
    best = q_net(following).max(dim=1).values
    target = rewards + 0.99 * best * (1.0 - done)  # fires: W501
    return F.smooth_l1_loss(q, target)


for update in range(5):
    batch = torch.randn(16, 4), torch.randint(0, 3, (16,)), torch.randn(16), torch.randn(16, 4), torch.zeros(16)
    loss = td_loss(*batch)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
