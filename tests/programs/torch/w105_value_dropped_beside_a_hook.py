"""A hook keeps the features for the policy; the value that is computed from the same call never gets a loss."""

import torch
from torch import nn

torch.manual_seed(0)
body, policy, value = nn.Sequential(nn.Linear(4, 16), nn.Tanh()), nn.Linear(16, 2), nn.Linear(16, 1)
taken = []
body.register_forward_hook(lambda module, given, result: taken.append(result))
optimizer = torch.optim.Adam([*body.parameters(), *policy.parameters(), *value.parameters()], lr=1e-3)
for _ in range(5):
    states, actions, returns = torch.randn(16, 4), torch.randint(0, 2, (16,)), torch.randn(16)
    taken.clear()
    values = value(body(states)).squeeze(-1)  # fires: W105
    log_prob = torch.log_softmax(policy(taken.pop()), dim=-1)[torch.arange(16), actions]
    loss = -(log_prob * returns).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
