"""A stochastic policy gradient through the dynamics needs rsample(); sample() is a constant."""
import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
mean, log_std = nn.Linear(3, 2), nn.Parameter(torch.zeros(2))
model = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam([*mean.parameters(), log_std, *model.parameters()], lr=1e-3)
for step in range(5):
    states = torch.randn(8, 3)
    action = Normal(mean(states), log_std.exp()).sample()  # fires: W104
    loss = -model(torch.cat([states, action], dim=1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
