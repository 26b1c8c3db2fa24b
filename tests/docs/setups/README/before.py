"""A training step, and an actor and a critic to watch."""

import os

import torch
from torch import nn

os.environ["KERAS_BACKEND"] = "tensorflow"  # the example at the top
torch.manual_seed(0)
actor, critic = nn.Linear(3, 2), nn.Linear(5, 1)
model = nn.Linear(3, 1)
optimizer = torch.optim.Adam(model.parameters())
states, actions = torch.randn(8, 3), torch.randn(8, 1)


def train_step(states, actions):
    loss = (model(states) - actions).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
