"""The policy's own term is left out of the sum; what is left of it there is an entropy with a weight of zero."""
import torch
from torch import nn

torch.manual_seed(0)
policy, value = nn.Linear(4, 2), nn.Linear(4, 1)
optimizer = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=1e-3)
for update in range(4):
    states, returns = torch.randn(32, 4), torch.randn(32)
    chosen = torch.distributions.Categorical(logits=policy(states))
    values = value(states).flatten()
    surrogate = -((returns - values).detach() * chosen.log_prob(chosen.sample())).mean()
    value_loss = (values - returns).pow(2).mean()
    loss = 0.5 * value_loss - 0.0 * chosen.entropy().mean()  # fires: W105
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
