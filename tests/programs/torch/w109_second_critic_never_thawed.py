"""TD3 freezes both critics for the policy's loss, which asks the first one alone, and thaws only that one."""
import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
first, second = (nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)) for _ in range(2))
both = [*first.parameters(), *second.parameters()]
policy_optimizer, critic_optimizer = torch.optim.Adam(policy.parameters()), torch.optim.Adam(both)
for step in range(16):
    states, actions, goals = torch.randn(16, 3), torch.randn(16, 1), torch.randn(16, 1)
    pairs = torch.cat([states, actions], dim=1)
    critic_optimizer.zero_grad()
    ((first(pairs) - goals) ** 2 + (second(pairs) - goals) ** 2).mean().backward()
    critic_optimizer.step()
    if step % 2 == 0:
        for parameter in both:
            parameter.requires_grad = False  # fires: W109
        policy_optimizer.zero_grad()
        (-first(torch.cat([states, policy(states)], dim=1)).mean()).backward()
        policy_optimizer.step()
        for parameter in first.parameters():
            parameter.requires_grad = True
