"""The PyTorch document, example 1: a DQN step with the target computed under `no_grad`.

The text says that detaching the target is what keeps learning correct. The program works; all six
online parameters get a gradient. Two things it does not say: the separate target network would
have been harmless without `no_grad` (see pytorch_1_target_not_detached.py), and the sample never
copies the weights to the target network again, so it stays at the first random weights.
"""

import random

import torch
from torch import nn

STATE_SIZE = 4
ACTION_SIZE = 2
GAMMA = 0.99
BATCH_SIZE = 32


class QNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(STATE_SIZE, 64)
        self.fc2 = nn.Linear(64, 64)
        self.fc3 = nn.Linear(64, ACTION_SIZE)

    def forward(self, x):
        return self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x)))))


random.seed(0)
torch.manual_seed(0)
online = QNetwork()
target = QNetwork()
target.load_state_dict(online.state_dict())
optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
criterion = nn.MSELoss()

memory = [
    (
        torch.rand(STATE_SIZE),
        random.randrange(ACTION_SIZE),
        random.random(),
        torch.rand(STATE_SIZE),
        random.choice([True, False]),
    )
    for _ in range(100)
]


def sample_batch():
    batch = random.sample(memory, BATCH_SIZE)
    states, actions, rewards, next_states, dones = zip(*batch, strict=True)
    return (
        torch.stack(states),
        torch.tensor(actions).unsqueeze(1),
        torch.tensor(rewards).unsqueeze(1),
        torch.stack(next_states),
        torch.tensor(dones, dtype=torch.float).unsqueeze(1),
    )


def optimize():
    states, actions, rewards, next_states, dones = sample_batch()
    q_values = online(states).gather(1, actions)
    with torch.no_grad():
        next_q = target(next_states).max(1, keepdim=True)[0]
        targets = rewards + GAMMA * next_q * (1 - dones)
    loss = criterion(q_values, targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


start = {name: value.clone() for name, value in target.state_dict().items()}
losses = [optimize() for _ in range(100)]
print(f"loss: first {losses[0]:.4f}, last {losses[-1]:.4f}")
print("online gradients:", [p.grad is not None for p in online.parameters()])
print("target gradients:", [p.grad is not None for p in target.parameters()])
moved = any(not torch.equal(start[name], value) for name, value in target.state_dict().items())
print("the target network has changed in 100 updates:", moved)
