"""CQL: both losses are computed first; the temperature steps before the critic, one term of whose loss is a number."""

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
critic, log_alpha = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3)), torch.zeros((), requires_grad=True)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
alpha_optimizer = torch.optim.Adam([log_alpha], lr=1e-3)
for _ in range(4):
    states, actions, targets = torch.randn(16, 4), torch.randint(0, 3, (16, 1)), torch.randn(16, 1)
    values = critic(states)
    error = F.mse_loss(values.gather(1, actions), targets)
    gap = (torch.logsumexp(values, 1) - values.gather(1, actions).squeeze(1)).mean()
    alpha_loss = log_alpha * (0.5 - targets.mean())
    loss = error + 5.0 * gap.item()  # fires: W103
    alpha_optimizer.zero_grad()
    alpha_loss.backward()
    alpha_optimizer.step()
    critic_optimizer.zero_grad()
    loss.backward()
    critic_optimizer.step()
