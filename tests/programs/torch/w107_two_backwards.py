"""Two losses share a trunk; each is backpropagated on its own."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
trunk, policy, value = nn.Linear(4, 8), nn.Linear(8, 2), nn.Linear(8, 1)
optimizer = torch.optim.SGD([*trunk.parameters(), *policy.parameters(), *value.parameters()], lr=0.1)
for update in range(3):
    features = torch.tanh(trunk(torch.randn(8, 4)))
    policy_loss = F.cross_entropy(policy(features), torch.randint(2, (8,)))
    value_loss = value(features).pow(2).mean()
    optimizer.zero_grad()
    policy_loss.backward()
    value_loss.backward()  # fires: W107
    optimizer.step()
