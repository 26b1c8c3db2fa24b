"""The PyTorch document, its explanation in prose: a target from the current network, not detached.

Here the warning is right. With one network on both sides the gradient runs through the target
too, and the update is a different one. The text also says that the target is not a
differentiable function of the network's parameters. It is one, which is just why it must be
detached: the printed gradients with and without differ.
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
network = QNetwork()
optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)

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


def td_loss(batch, detach: bool):
    states, actions, rewards, next_states, dones = batch
    q_values = network(states).gather(1, actions)
    next_q = network(next_states).max(1, keepdim=True)[0]
    if detach:
        next_q = next_q.detach()
    return nn.functional.mse_loss(q_values, rewards + GAMMA * next_q * (1 - dones))


batch = sample_batch()
through = torch.autograd.grad(td_loss(batch, detach=False), list(network.parameters()))
stopped = torch.autograd.grad(td_loss(batch, detach=True), list(network.parameters()))
flat_through = torch.cat([g.flatten() for g in through])
flat_stopped = torch.cat([g.flatten() for g in stopped])
cosine = nn.functional.cosine_similarity(flat_through, flat_stopped, dim=0).item()
print(f"norm of the gradient through the target {flat_through.norm():.4f}")
print(f"norm of the gradient stopped at it {flat_stopped.norm():.4f}, cosine {cosine:.4f}")

for _ in range(100):
    loss = td_loss(sample_batch(), detach=False)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss after 100 updates {loss.item():.4f}")
