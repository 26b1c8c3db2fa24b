"""Only the value network is given to the optimizer; that its advantage is stopped for the policy is right."""
import torch
from torch import nn

torch.manual_seed(0)
policy, value = nn.Linear(4, 2), nn.Linear(4, 1)
optimizer = torch.optim.Adam(value.parameters(), lr=1e-3)  # fires: W201
for update in range(4):
    states, returns = torch.randn(32, 4), torch.randn(32)
    chosen = torch.distributions.Categorical(logits=policy(states))
    values = value(states).flatten()
    log_prob = chosen.log_prob(chosen.sample())
    loss = (values - returns).pow(2).mean() - (log_prob * (returns - values.detach())).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
