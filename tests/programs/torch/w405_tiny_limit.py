"""Plain gradient descent with every gradient entry clipped to a ten-millionth."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Trainer:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05)

    def step(self, inputs, targets):
        self.optimizer.zero_grad()
        loss = F.mse_loss(self.model(inputs), targets)
        loss.backward()
        torch.nn.utils.clip_grad_value_(self.model.parameters(), 1e-7)  # fires: W405
        self.optimizer.step()
        return loss.item()


trainer = Trainer()
losses = [trainer.step(torch.randn(16, 8), torch.randn(16, 2)) for _ in range(5)]
