"""Actor-critic with a worker: its log-probabilities become numbers, and the entropy bonus alone trains the policy."""

import torch
from torch import nn
from torch.distributions import Categorical


def build():
    return nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))


torch.manual_seed(0)
shared, worker = build(), build()
optimizer = torch.optim.Adam(shared.parameters(), lr=1e-3)
for _ in range(4):
    worker.load_state_dict(shared.state_dict())
    states, kept = torch.randn(12, 4), []
    for state in states:
        policy = Categorical(logits=worker(state))
        kept.append(policy.log_prob(policy.sample()))
    log_probs = torch.tensor(kept)  # fires: W103
    returns = torch.randn(12)
    entropy = Categorical(logits=worker(states)).entropy()
    loss = (-returns * log_probs - 0.01 * entropy).mean()
    worker.zero_grad()
    loss.backward()
    for mine, theirs in zip(worker.parameters(), shared.parameters()):
        theirs._grad = mine.grad
    optimizer.step()
