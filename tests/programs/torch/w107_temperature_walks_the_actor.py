"""The loss of the temperature walks through the actor's log-probabilities, which the actor's own loss needs."""
import torch
from torch import nn

torch.manual_seed(0)
actor, critic = nn.Linear(3, 2), nn.Linear(4, 1)
log_alpha = torch.zeros(1, requires_grad=True)
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
alpha_optimizer = torch.optim.Adam([log_alpha], lr=1e-3)
for update in range(4):
    states = torch.randn(32, 3)
    mean, log_std = actor(states).chunk(2, 1)
    policy = torch.distributions.Normal(mean, log_std.exp())
    actions = policy.rsample()
    log_prob = policy.log_prob(actions).sum(1)

    alpha_loss = -(log_alpha * (log_prob + 1.0)).mean()  # fires: W107
    alpha_optimizer.zero_grad()
    alpha_loss.backward()
    alpha_optimizer.step()

    value = critic(torch.cat([states, actions], 1)).flatten()
    actor_loss = (log_alpha.exp().detach() * log_prob - value).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
