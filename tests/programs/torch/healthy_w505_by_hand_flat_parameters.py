"""Trust-region updates: a step along a conjugate gradient, written into the parameters from one flat vector."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))


def flat(tensors):
    return torch.cat([t.reshape(-1) for t in tensors])


def write(vector):
    at = 0
    for p in policy.parameters():
        p.data.copy_(vector[at : at + p.numel()].view_as(p))
        at += p.numel()


for _ in range(4):
    states = torch.randn(40, 4)
    with torch.no_grad():
        actions = Categorical(logits=policy(states)).sample()
        old = Categorical(logits=policy(states)).log_prob(actions)
    advantages = (actions == (states[:, 0] > 0).long()).float() - 0.4
    loss = -((Categorical(logits=policy(states)).log_prob(actions) - old).exp() * advantages).mean()
    direction = -flat(torch.autograd.grad(loss, list(policy.parameters())))
    before = flat([p.data for p in policy.parameters()])
    for fraction in (1.0, 0.5, 0.25):
        write(before + fraction * 0.1 * direction / direction.norm())
        with torch.no_grad():
            ratio = (Categorical(logits=policy(states)).log_prob(actions) - old).exp()
        if -(ratio * advantages).mean() < loss:
            break
    else:
        write(before)
