"""The PyTorch document, example 2: log-probabilities times advantages, a surrogate loss.

The text says that this lets the gradient past the sampling step. It does: all four parameters get
one. But the actions in its memory were drawn beforehand and not from the policy, and the rewards
do not depend on them. So the loss falls because noise is fitted, not because the policy is better.
"""

import random

import torch
from torch import nn

STATE_SIZE = 4
ACTION_SIZE = 2
BATCH_SIZE = 32


class PolicyNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(STATE_SIZE, 64)
        self.fc2 = nn.Linear(64, ACTION_SIZE)

    def forward(self, x):
        return torch.softmax(self.fc2(torch.relu(self.fc1(x))), dim=-1)


random.seed(0)
torch.manual_seed(0)
policy = PolicyNetwork()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
memory = [(torch.rand(STATE_SIZE), random.randrange(ACTION_SIZE), random.random()) for _ in range(100)]


def optimize():
    states, actions, rewards = zip(*random.sample(memory, BATCH_SIZE), strict=True)
    rewards = torch.tensor(rewards)
    probs = policy(torch.stack(states))
    log_probs = torch.log(probs.gather(1, torch.tensor(actions).unsqueeze(1)))
    advantages = (rewards - rewards.mean()).unsqueeze(1)
    loss = -(log_probs * advantages).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


losses = [optimize() for _ in range(100)]
first, last = sum(losses[:20]) / 20, sum(losses[-20:]) / 20
print(f"mean loss of the first 20 {first:.4f}, of the last 20 {last:.4f}")
print("gradient norms", [round(p.grad.norm().item(), 4) for p in policy.parameters()])
