"""Advantages are summed up in NumPy, and the loss has no term for the values."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 16)
        self.policy = nn.Linear(16, 2)
        self.value = nn.Linear(16, 1)

    def probabilities(self, x):
        return torch.softmax(self.policy(torch.relu(self.body(x))), dim=1)

    def values(self, x):
        return self.value(torch.relu(self.body(x)))


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(4):
    states, rewards = torch.randn(9, 4), torch.randn(8, 1)
    taken = torch.randint(2, (8, 1))
    old = net.probabilities(states[:-1]).gather(1, taken).detach()
    target = rewards + 0.99 * net.values(states[1:])
    delta = (target - net.values(states[:-1])).detach().numpy()
    advantages, advantage = [], 0.0
    for one in delta[::-1]:
        advantage = 0.95 * advantage + one[0]
        advantages.append([advantage])
    advantages.reverse()
    weights = torch.tensor(advantages, dtype=torch.float)
    new = net.probabilities(states[:-1]).gather(1, taken)
    ratio = torch.exp(torch.log(new) - torch.log(old))
    clipped = torch.clamp(ratio, 0.9, 1.1)
    loss = -torch.min(ratio * weights, clipped * weights).mean()  # fires: W105
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
