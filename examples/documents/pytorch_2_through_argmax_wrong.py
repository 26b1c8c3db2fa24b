"""The PyTorch document, its explanation in prose: backpropagation through the chosen action.

The text says that argmax stops the gradient. True, and not in silence: `backward` raises
"RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn".
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
states = torch.rand(BATCH_SIZE, STATE_SIZE)
wanted = torch.randint(ACTION_SIZE, (BATCH_SIZE,)).float()

actions = policy(states).argmax(dim=1).float()
loss = nn.functional.mse_loss(actions, wanted)
optimizer.zero_grad()
loss.backward()
optimizer.step()
