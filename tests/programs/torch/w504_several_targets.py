"""The log-probability of three actions is not summed up: the target of one value is three of them."""

import torch
from torch import nn

torch.manual_seed(0)
critic, target = (nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)) for _ in range(2))
target.load_state_dict(critic.state_dict())
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(4):
    states, actions, rewards = torch.randn(16, 5), torch.rand(16, 3), torch.randn(16, 1)
    with torch.no_grad():
        policy = torch.distributions.Normal(torch.zeros(16, 3), torch.ones(16, 3))
        following = policy.sample()
        entropy = -policy.log_prob(following)
        goal = rewards + 0.99 * (target(torch.cat([states, following], 1)) + 0.2 * entropy)
    loss = nn.functional.mse_loss(critic(torch.cat([states, actions], 1)), goal)  # fires: W504
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for old, new in zip(target.parameters(), critic.parameters()):
        old.data.lerp_(new.data, 0.05)
