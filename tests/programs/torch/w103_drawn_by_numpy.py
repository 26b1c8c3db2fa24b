"""REINFORCE whose actions NumPy draws: probabilities may leave for that, log-probabilities for the loss may not."""

import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
rng = np.random.default_rng(0)
policy = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2), nn.Softmax(-1))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)


def episode():
    np.random.seed(0)
    log_probs, rewards = [], []
    for _ in range(8):
        state = rng.normal(size=4).astype("f")
        probs = policy(torch.from_numpy(state))
        action = np.random.choice(2, p=probs.detach().numpy() / probs.detach().numpy().sum())
        log_probs.append(np.log(probs[action].item()))  # fires: W103
        rewards.append(float(action == (state[0] > 0)))
    return log_probs, rewards


for _ in range(4):
    log_probs, rewards = episode()
    returns = np.cumsum(rewards[::-1])[::-1].copy()
    loss = -(torch.tensor(log_probs, requires_grad=True) * torch.tensor(returns)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
