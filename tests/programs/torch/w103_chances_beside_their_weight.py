"""Log-probabilities go through NumPy; the stop of the advantages beside them is right."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
value = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam([*policy.parameters(), *value.parameters()], 1e-2)
for _ in range(5):
    states, actions, returns = torch.randn(8, 4), torch.randint(0, 2, (8,)), torch.randn(8)
    dist = Categorical(logits=policy(states))
    chances = torch.from_numpy(dist.log_prob(actions).detach().numpy())  # fires: W103
    advantages = returns - value(states).squeeze(-1)
    value_loss = advantages.square().mean()
    policy_loss = -(advantages.detach() * chances).mean()
    loss = policy_loss + 0.5 * value_loss - 0.01 * dist.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
