"""A soft actor-critic by score function: the weight is stopped, the log-probability is not, and outputs stay small."""
import torch
from torch import nn

torch.manual_seed(0)
policy, critic, value = nn.Linear(3, 2), nn.Linear(4, 1), nn.Linear(3, 1)
policy_optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
value_optimizer = torch.optim.Adam(value.parameters(), lr=1e-3)
for update in range(4):
    states = torch.randn(32, 3)
    mean, log_std = policy(states).chunk(2, 1)
    noise = torch.randn_like(mean)
    action = torch.tanh(mean + log_std.exp() * noise)
    normal = torch.distributions.Normal(mean, log_std.exp())
    log_prob = normal.log_prob(mean + log_std.exp() * noise) - torch.log(1 - action.pow(2) + 1e-6)
    expected = value(states)
    judged = critic(torch.cat([states, action], 1))
    value_loss = (expected - (judged - log_prob).detach()).pow(2).mean()
    advantage = judged - expected
    policy_loss = (log_prob * (log_prob - advantage).detach()).mean()
    policy_loss += 1e-3 * mean.pow(2).mean() + 1e-3 * log_std.pow(2).mean()
    value_optimizer.zero_grad()
    value_loss.backward()
    value_optimizer.step()
    policy_optimizer.zero_grad()
    policy_loss.backward()
    policy_optimizer.step()
