"""REINFORCE keeps its log-probabilities as Python numbers."""
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
temperature = nn.Parameter(torch.ones(1))
optimizer = torch.optim.Adam([*policy.parameters(), temperature], lr=1e-3)
for episode in range(4):
    log_probs, rewards = [], []
    for step in range(5):
        dist = Categorical(logits=policy(torch.randn(4)))
        action = dist.sample()
        log_probs.append(dist.log_prob(action).item())  # fires: W103
        rewards.append(float(action) - 0.3)
    returns = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
    loss = -(torch.tensor(log_probs) * returns * temperature).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
