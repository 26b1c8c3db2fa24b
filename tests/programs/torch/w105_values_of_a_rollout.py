"""The values of a rollout make advantages; those computed for the loss are dropped."""
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 16)
        self.policy = nn.Linear(16, 2)
        self.value = nn.Linear(16, 1)

    def forward(self, x):
        h = torch.tanh(self.body(x))
        return Categorical(logits=self.policy(h)), self.value(h).squeeze(-1)


class Rollout:
    def __init__(self):
        self.states, self.actions, self.rewards, self.values = [], [], [], []

    def advantages(self):
        values = np.array([*self.values, 0.0])
        return np.array(self.rewards) + 0.99 * values[1:] - values[:-1]


torch.manual_seed(0)
rng = np.random.default_rng(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(4):
    rollout = Rollout()
    for _ in range(8):
        state = rng.normal(size=4)
        with torch.no_grad():
            policy, value = net(torch.as_tensor(state, dtype=torch.float32))
            action = policy.sample()
        rollout.states.append(state)
        rollout.actions.append(action.item())
        rollout.rewards.append(float(rng.normal()))
        rollout.values.append(value.item())
    states = torch.as_tensor(np.array(rollout.states), dtype=torch.float32)
    weights = torch.as_tensor(rollout.advantages(), dtype=torch.float32)
    policy, values = net(states)
    chances = policy.log_prob(torch.as_tensor(rollout.actions))
    loss = -(chances * weights).mean()  # fires: W105
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
