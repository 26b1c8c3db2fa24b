"""The PyTorch document, example 1, what the text warns of: the same step without `no_grad`.

The text says that gradients then flow through the target network and learning goes wrong. The
first half is true: the target's parameters collect gradients. The second is not: no optimizer
holds them, and the gradients of the online network are the same. After 100 updates both runs have
the same weights, bit for bit. It only wastes time and memory.
"""

import copy
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
network = QNetwork()

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


def train(detach: bool):
    random.seed(1)
    online, target = copy.deepcopy(network), copy.deepcopy(network)
    optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
    for _ in range(100):
        states, actions, rewards, next_states, dones = sample_batch()
        q_values = online(states).gather(1, actions)
        with torch.set_grad_enabled(not detach):
            next_q = target(next_states).max(1, keepdim=True)[0]
            targets = rewards + GAMMA * next_q * (1 - dones)
        loss = nn.functional.mse_loss(q_values, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return online, target


with_no_grad, _ = train(detach=True)
without, unused_target = train(detach=False)
pairs = zip(with_no_grad.parameters(), without.parameters(), strict=True)
print("same weights after 100 updates:", all(torch.equal(a, b) for a, b in pairs))
norms = [round(p.grad.norm().item(), 2) for p in unused_target.parameters()]
print("gradients piled up in the target network:", norms)
