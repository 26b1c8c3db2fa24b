"""A Keras model, a Lightning module and an agent, each with its data."""

import gymnasium
import keras
import numpy as np
import torch
from lightning import LightningModule, Trainer
from stable_baselines3 import DQN
from torch import nn

x, y = np.ones((32, 3), "float32"), np.ones((32, 1), "float32")
model = keras.Sequential([keras.layers.Dense(4, activation="tanh"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Module(LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 1)

    def training_step(self, batch, index):
        return self.net(batch[0]).pow(2).mean()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())


module = Module()
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(32, 3)), batch_size=8)
agent = DQN("MlpPolicy", gymnasium.make("CartPole-v1"), learning_starts=200, seed=0)
