"""MADDPG: the policy that is updated acts by a relaxed sample; the critic is cleared before its own step."""

import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3))
critic = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
policy_optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(4):
    states, taken, targets = torch.randn(16, 5), torch.eye(3)[torch.randint(0, 3, (16,))], torch.randn(16, 1)
    critic_optimizer.zero_grad()
    nn.functional.mse_loss(critic(torch.cat([states, taken], 1)), targets).backward()
    critic_optimizer.step()
    policy_optimizer.zero_grad()
    logits = policy(states)
    action = nn.functional.gumbel_softmax(logits, hard=True)
    with torch.no_grad():
        shown = critic(torch.cat([states, action], 1)).mean()
    loss = -critic(torch.cat([states, action], 1)).mean() + 1e-3 * logits.pow(2).mean()
    loss.backward()
    policy_optimizer.step()
    print(float(shown))
