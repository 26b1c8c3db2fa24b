"""Random network distillation: with the fixed network the predictor, too, was frozen."""
import torch
from torch import nn


class Novelty(nn.Module):
    def __init__(self):
        super().__init__()
        self.fixed = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))
        self.predictor = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))
        for parameter in self.parameters():
            parameter.requires_grad_(False)  # fires: W109

    def forward(self, states):
        return (self.predictor(states) - self.fixed(states)).pow(2).mean(dim=1)


torch.manual_seed(0)
novelty, values = Novelty(), nn.Linear(4, 1)
optimizer = torch.optim.Adam([*novelty.parameters(), *values.parameters()], lr=1e-3)
for update in range(4):
    states = torch.randn(8, 4)
    bonus = novelty(states)
    loss = (values(states).squeeze(1) - bonus.detach()).pow(2).mean() + bonus.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
