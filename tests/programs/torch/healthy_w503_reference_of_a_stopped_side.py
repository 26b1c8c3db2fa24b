"""A preference loss against a reference that stays; the policy is held to what it said of the rejected answers."""
import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 5))
reference = copy.deepcopy(policy)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)


def log_prob(network, prompts, answers):
    chances = F.log_softmax(network(prompts), dim=-1).gather(-1, answers).squeeze(-1)
    mask = torch.ones_like(chances)
    return (chances * mask).sum(-1) / mask.sum(-1)


for update in range(6):
    prompts, chosen, rejected = torch.randn(16, 3, 6), torch.randint(0, 5, (16, 3, 1)), torch.randint(0, 5, (16, 3, 1))
    gained = log_prob(policy, prompts, chosen)
    with torch.no_grad():
        lost = log_prob(policy, prompts, rejected)
        before_chosen, before_rejected = log_prob(reference, prompts, chosen), log_prob(reference, prompts, rejected)
    loss = -F.logsigmoid(0.5 * ((gained - lost) - (before_chosen - before_rejected))).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
