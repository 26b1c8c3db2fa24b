"""DDPG whose actor loss is taken of the stored action: the action that the actor would take now is dropped."""

import random

import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
random.seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
memory: list[tuple[np.ndarray, np.ndarray, float]] = []


def act(state: np.ndarray) -> np.ndarray:
    return actor(torch.tensor(state, dtype=torch.float32)).detach().numpy()


def learn() -> None:
    batch = random.sample(memory, 16)
    states = torch.tensor(np.stack([b[0] for b in batch]), dtype=torch.float32)
    actions = torch.tensor(np.stack([b[1] for b in batch]), dtype=torch.float32)
    rewards = torch.tensor([[b[2]] for b in batch], dtype=torch.float32)
    critic_loss = (critic(torch.cat([states, actions], dim=1)) - rewards).pow(2).mean()
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    mu = actor(states)
    value = critic(torch.cat([states, actions], dim=1))  # fires: W105
    actor_loss = -value.mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()


for step in range(40):
    state = np.random.default_rng(step).normal(size=3)
    memory.append((state, act(state), float(state.sum())))
    if step >= 20:
        learn()
