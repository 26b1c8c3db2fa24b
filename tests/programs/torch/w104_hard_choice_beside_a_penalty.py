"""MADDPG: the policy that is updated acts by a hard one-hot, and only the penalty on its logits trains it."""

import torch
from torch import nn


def one_hot(logits):
    return (logits == logits.max(-1, keepdim=True)[0]).float()  # fires: W104


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
    loss = -critic(torch.cat([states, one_hot(logits)], 1)).mean()
    loss = loss + 1e-3 * logits.pow(2).mean()
    loss.backward()
    policy_optimizer.step()
