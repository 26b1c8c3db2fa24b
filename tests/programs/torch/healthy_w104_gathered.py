"""Arg-max picks, gather carries; a reparameterised sample; accuracy for the log."""
import torch
from torch import nn
from torch.distributions import Normal
from torch.nn import functional as F

torch.manual_seed(0)
q_net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
mean, log_std = nn.Linear(4, 1), nn.Parameter(torch.zeros(1))
optimizer = torch.optim.Adam([*q_net.parameters(), *mean.parameters(), log_std], lr=1e-3)
for update in range(5):
    states, labels = torch.randn(8, 4), torch.randint(3, (8,))
    q = q_net(states)
    best = q.argmax(dim=1, keepdim=True)
    drawn = Normal(mean(states), log_std.exp()).rsample()
    loss = (q.gather(1, best) - 1.0).pow(2).mean() + F.cross_entropy(q, labels) + (drawn - 0.5).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(update, (best.squeeze(1) == labels).float().mean().item())
