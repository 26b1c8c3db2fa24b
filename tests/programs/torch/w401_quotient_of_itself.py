"""PPO in probabilities: the old ones are computed anew with the policy that is trained, and only the bonus trains."""

import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3), nn.Softmax(-1))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
states, advantages = torch.randn(32, 4), torch.randn(32, 1)
actions = torch.randint(0, 3, (32, 1))
for _ in range(4):
    probs = policy(states)
    old = policy(states).gather(1, actions)
    ratio = probs.gather(1, actions) / old  # fires: W401
    surrogate = torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages)
    entropy = -(probs * probs.log()).sum(1)
    loss = -surrogate.mean() - 0.01 * entropy.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
