"""Three steps lie between the actor's loss and its backward pass; one of them changes what that pass needs."""

import torch
from torch import nn

torch.manual_seed(0)
obs, act = 3, 1


def mlp(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 16), nn.ReLU(), nn.Linear(16, outputs))


actor, q = mlp(obs, act), mlp(obs + act, 1)
value = mlp(obs + act, 1)
log_alpha = torch.zeros(1, requires_grad=True)
actor_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
q_opt = torch.optim.Adam(q.parameters(), lr=1e-3)
value_opt = torch.optim.Adam(value.parameters(), lr=1e-3)
alpha_opt = torch.optim.Adam([log_alpha], lr=1e-3)

for _ in range(3):
    states = torch.randn(8, obs)
    actions = torch.tanh(actor(states))
    pairs = torch.cat([states, actions], dim=1)
    baseline = value(pairs).detach()
    actor_loss = (log_alpha.exp().detach() * actions.square() - (q(pairs) - baseline)).mean()
    fixed = pairs.detach()
    q_loss = (q(fixed) - torch.ones(8, 1)).square().mean()
    q_opt.zero_grad()
    q_loss.backward()
    q_opt.step()  # fires: W108
    value_loss = (value(fixed) - q(fixed).detach()).square().mean()
    value_opt.zero_grad()
    value_loss.backward()
    value_opt.step()
    alpha_loss = (log_alpha * (0.5 - actions.detach().abs().mean())).sum()
    alpha_opt.zero_grad()
    alpha_loss.backward()
    alpha_opt.step()
    actor_opt.zero_grad()
    actor_loss.backward()
    actor_opt.step()
