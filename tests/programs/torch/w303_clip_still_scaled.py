"""Mixed precision: the gradients are clipped while they are multiplied by the scale."""

import torch
from torch import nn


class Trainer:
    def __init__(self, net: nn.Module) -> None:
        self.net = net
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        self.scaler = torch.amp.GradScaler("cpu")

    def step(self, inputs: torch.Tensor, targets: torch.Tensor) -> None:
        self.optimizer.zero_grad()
        loss = nn.functional.mse_loss(self.net(inputs), targets)
        self.scaler.scale(loss).backward()
        nn.utils.clip_grad_value_(self.net.parameters(), 1.0)  # fires: W303
        self.scaler.step(self.optimizer)
        self.scaler.update()


torch.manual_seed(5)
trainer = Trainer(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)))
for _ in range(3):
    trainer.step(torch.randn(16, 4), torch.randn(16, 1))
