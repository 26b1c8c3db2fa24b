"""REINFORCE stores log-probabilities as numbers; Python turns their sign before they meet a tensor again."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
saved_log_probs, rewards = [], []


def select_action(state):
    dist = Categorical(logits=policy(state))
    action = dist.sample()
    saved_log_probs.append(dist.log_prob(action).item())  # fires: W103
    return action.item()


def finish_episode():
    returns = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
    returns = (returns - returns.mean()) / (returns.std() + 1e-8)
    losses = [-log_prob * R for log_prob, R in zip(saved_log_probs, returns, strict=True)]
    loss = torch.tensor(losses, requires_grad=True).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    saved_log_probs.clear()
    rewards.clear()


for _ in range(5):
    state = torch.randn(4)
    for _ in range(6):
        action = select_action(state)
        state = 0.9 * state + 0.1 * torch.randn(4)
        rewards.append(float(action == int(state[0] > 0)))
    finish_episode()
