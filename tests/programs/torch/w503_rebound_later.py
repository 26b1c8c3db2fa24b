"""A Polyak average that binds a loop variable and writes nothing, for the first time long after the first updates."""
import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
critic_target = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
critic_target.load_state_dict(critic.state_dict())
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for update in range(90):
    states, rewards, following = torch.randn(16, 4), torch.randn(16, 1), torch.randn(16, 4)
    with torch.no_grad():
        target = rewards + 0.9 * critic_target(following)
    loss = (critic(states) - target).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if update % 40 == 39:
        for slow, fast in zip(critic_target.parameters(), critic.parameters()):
            slow = 0.5 * fast.data + 0.5 * slow.data  # fires: W503
