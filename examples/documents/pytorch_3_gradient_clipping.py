"""The PyTorch document, example 3: clip the gradient norm between backward and step.

The text says that this stabilises training and prevents gradients that vanish through numerical
instability. The order of the calls is right. Whether the clip does anything here depends on the
start: with this seed it changes none of the 100 updates, with the next four between 21 and 39.
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


def optimize():
    states, targets = sample_batch()
    loss = criterion(network(states), targets)
    optimizer.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(network.parameters(), max_norm=1.0)
    optimizer.step()
    return loss.item(), norm.item()


losses, norms = zip(*[optimize() for _ in range(100)], strict=True)
print(f"loss: first {losses[0]:.4f}, last {losses[-1]:.4f}")
print(f"largest norm {max(norms):.4f}, updates clipped {sum(n > 1.0 for n in norms)} of 100")
