"""A model in training, and an agent of Stable-Baselines3."""

import gymnasium
import torch
import whygrad
from stable_baselines3 import DQN
from torch import nn

model = nn.Linear(3, 1)
optimizer = torch.optim.Adam(model.parameters())
loss = model(torch.ones(8, 3)).mean()
agent = DQN("MlpPolicy", gymnasium.make("CartPole-v1"), learning_starts=200, seed=0)
