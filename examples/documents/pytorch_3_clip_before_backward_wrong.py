"""The PyTorch document, example 3 with the clip in the wrong place: before `backward`.

The DDPG document names this mistake and says that it ends in missing gradients. It does not: the
call finds nothing to clip and raises nothing, and the step uses the full gradient. The targets are
large here, so that clipping would have mattered.
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


clipped, used = [], []
for _ in range(20):
    states, targets = sample_batch()
    loss = criterion(network(states), 100.0 * targets)
    optimizer.zero_grad()
    clipped.append(nn.utils.clip_grad_norm_(network.parameters(), max_norm=1.0).item())
    loss.backward()
    used.append(torch.cat([p.grad.flatten() for p in network.parameters()]).norm().item())
    optimizer.step()
print(f"largest norm seen by the clip {max(clipped)}, smallest norm used {min(used):.1f}")
