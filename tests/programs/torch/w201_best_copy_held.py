"""The optimizer was given the copy that keeps the best weights."""

import copy

import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model = model
        self.best = copy.deepcopy(model)
        self.optimizer = torch.optim.SGD(self.best.parameters(), lr=0.05)  # fires: W201
        self.lowest = float("inf")

    def fit(self, x, y):
        self.optimizer.zero_grad()
        loss = nn.functional.mse_loss(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        if loss.item() < self.lowest:
            self.lowest = loss.item()
            self.best.load_state_dict(self.model.state_dict())


torch.manual_seed(0)
trainer = Trainer(nn.Linear(5, 2))
for _ in range(5):
    x = torch.randn(16, 5)
    trainer.fit(x, x[:, :2])
