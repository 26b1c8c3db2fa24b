"""The policy term is subtracted from the value loss, and the optimizer holds the actor alone."""
import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
critic = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)  # fires: W201
for step in range(3):
    states, returns = torch.randn(8, 3), torch.randn(8, 1)
    value_loss = (critic(states) - returns).pow(2).mean()
    gain = torch.log_softmax(actor(states), dim=1)[:, 0].mean()
    loss = value_loss - gain
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
