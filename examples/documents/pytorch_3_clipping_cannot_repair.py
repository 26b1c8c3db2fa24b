"""The PyTorch document, example 3, its reason in prose: clipping against numerical instability.

The text says that clipping prevents trouble from instability. It shortens a long gradient; it
cannot repair one that has already overflowed. After one infinite loss the clipped gradients of
both weight matrices are NaN (those of the biases are zero), and so are the weights.
"""

import random

import torch
from torch import nn

INPUT_SIZE, HIDDEN_SIZE, OUTPUT_SIZE = 4, 64, 1
BATCH_SIZE = 32


class BasicNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(INPUT_SIZE, HIDDEN_SIZE)
        self.fc2 = nn.Linear(HIDDEN_SIZE, OUTPUT_SIZE)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


random.seed(0)
torch.manual_seed(0)
network = BasicNetwork()
optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
criterion = nn.MSELoss()
memory = [(torch.rand(INPUT_SIZE), random.random()) for _ in range(100)]


def sample_batch():
    states, targets = zip(*random.sample(memory, BATCH_SIZE), strict=True)
    return torch.stack(states), torch.tensor(targets).unsqueeze(1)


states, targets = sample_batch()
states[0] = 1e30  # one bad observation: its squared error overflows
loss = criterion(network(states), targets)
optimizer.zero_grad()
loss.backward()
norm = nn.utils.clip_grad_norm_(network.parameters(), max_norm=1.0)
print("loss", loss.item(), "norm", norm.item())
print("finite gradients:", [torch.isfinite(p.grad).all().item() for p in network.parameters()])
optimizer.step()
print("finite weights:", [torch.isfinite(p).all().item() for p in network.parameters()])
