"""PPO on tokens: the distance to a reference model is a penalty in the reward, and the returns train the value."""

import copy

import torch
from torch import nn
import torch.nn.functional as F


class Language(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.cell = nn.Embedding(20, 8), nn.GRU(8, 8, batch_first=True)
        self.out, self.value = nn.Linear(8, 20), nn.Linear(8, 1)

    def forward(self, tokens):
        hidden, _ = self.cell(self.embedding(tokens))
        chosen = F.log_softmax(self.out(hidden)[:, :-1], -1).gather(2, tokens[:, 1:, None])
        return chosen.squeeze(-1), self.value(hidden)[:, :-1, 0]


torch.manual_seed(0)
policy = Language()
reference = copy.deepcopy(policy).requires_grad_(False)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
for _ in range(4):
    tokens = torch.randint(0, 20, (8, 7))
    with torch.no_grad():
        old, values = policy(tokens)
        reward = -0.1 * (old - reference(tokens)[0])
        reward[:, -1] += torch.randn(8)
        returns = reward.flip(1).cumsum(1).flip(1)
    log_probs, predicted = policy(tokens)
    ratio = torch.exp(log_probs - old)
    loss = -(ratio * (returns - values)).mean() + 0.5 * F.mse_loss(predicted, returns)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
