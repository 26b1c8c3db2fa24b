"""Copies that stay on purpose: the reference of a preference loss, and an old model whose answers are kept."""

import copy

import torch
from torch import nn
import torch.nn.functional as F


class Language(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.cell, self.out = nn.Embedding(20, 8), nn.GRU(8, 8, batch_first=True), nn.Linear(8, 20)

    def log_prob(self, tokens):
        hidden, _ = self.cell(self.embedding(tokens[:, :-1]))
        return F.log_softmax(self.out(hidden), -1).gather(2, tokens[:, 1:, None]).squeeze(-1).sum(1)


torch.manual_seed(0)
policy, net = Language(), nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 6))
reference, old = copy.deepcopy(policy).requires_grad_(False), copy.deepcopy(net).requires_grad_(False)
optimizer = torch.optim.Adam([*policy.parameters(), *net.parameters()], lr=1e-3)
for _ in range(4):
    better, worse = torch.randint(0, 20, (8, 6)), torch.randint(0, 20, (8, 6))
    margin = policy.log_prob(better) - policy.log_prob(worse)
    first = reference.log_prob(better) - reference.log_prob(worse)
    x, labels = torch.randn(16, 8), torch.randint(3, 6, (16,))
    said = net(x + 0.05 * torch.randn_like(x))
    kept = F.softmax(old(x)[:, :3] / 2, -1)
    loss = -F.logsigmoid(0.1 * (margin - first)).mean() + F.cross_entropy(said, labels)
    loss = loss + F.kl_div(F.log_softmax(said[:, :3] / 2, -1), kept, reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
