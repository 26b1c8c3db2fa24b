"""An entropy bonus from probabilities: a softmax that is sure gives 0, and log(0) is -inf."""

import torch
from torch import nn

torch.manual_seed(0)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 3))

    def forward(self, states):
        return torch.softmax(200.0 * self.body(states), dim=-1)


def entropy_of(probabilities):
    return -(probabilities * torch.log(probabilities)).sum(dim=-1)  # fires: W402


policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
for update in range(5):
    probabilities = policy(torch.randn(16, 4) * 3)
    loss = (probabilities[:, 0] - 0.01 * entropy_of(probabilities)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
