"""Stops that are meant: the bootstrap target, the advantage, a log line."""
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(4, 16), nn.Tanh())
policy, value = nn.Linear(16, 2), nn.Linear(16, 1)
parameters = [*body.parameters(), *policy.parameters(), *value.parameters()]
optimizer = torch.optim.Adam(parameters, lr=1e-3)
for update in range(5):
    states, next_states, rewards = torch.randn(8, 4), torch.randn(8, 4), torch.randn(8)
    features = body(states)
    dist = Categorical(logits=policy(features))
    actions = dist.sample()
    values = value(features).squeeze(1)
    returns = rewards + 0.9 * value(body(next_states)).squeeze(1).detach()
    advantage = (returns - values).detach()
    loss = -(dist.log_prob(actions) * advantage).mean() + (returns - values).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(update, loss.detach().item())
