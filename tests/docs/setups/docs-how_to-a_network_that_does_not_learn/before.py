"""An actor, a critic and its target."""

from torch import nn

actor, critic, target_critic = nn.Linear(3, 1), nn.Linear(4, 1), nn.Linear(4, 1)
