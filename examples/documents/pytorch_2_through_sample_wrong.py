"""The PyTorch document, its explanation in prose: backpropagation through a sampled action.

The text says that sampling stops the gradient. True for a categorical `sample`; here a value
head still depends on its own parameters, so nothing is raised: the head trains and the policy's
four parameters keep `grad` None.
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
critic = nn.Linear(STATE_SIZE + ACTION_SIZE, 1)
optimizer = torch.optim.Adam([*policy.parameters(), *critic.parameters()], lr=1e-3)

for _ in range(5):
    states = torch.rand(BATCH_SIZE, STATE_SIZE)
    actions = torch.distributions.OneHotCategorical(probs=policy(states)).sample()
    loss = -critic(torch.cat([states, actions], dim=1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

print("policy gradients:", [p.grad for p in policy.parameters()])
print("critic gradient norms:", [round(p.grad.norm().item(), 4) for p in critic.parameters()])
