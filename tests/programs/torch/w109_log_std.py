"""A learnable log-std was declared frozen, and the policy's spread never changes."""
import torch
from torch import nn
from torch.distributions import Normal


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
        self.log_std = nn.Parameter(torch.zeros(1), requires_grad=False)  # fires: W109

    def forward(self, states):
        return Normal(self.mean(states), self.log_std.exp())


torch.manual_seed(0)
policy = Policy()
optimizer = torch.optim.Adam([{"params": policy.mean.parameters()}, {"params": [policy.log_std], "lr": 1e-2}], lr=1e-3)
for step in range(4):
    dist = policy(torch.randn(8, 3))
    loss = -(dist.log_prob(dist.sample()) * torch.randn(8, 1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
