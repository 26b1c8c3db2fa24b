"""The force goes through a simulator written in NumPy and comes back without its history."""
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
controller = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
gain = nn.Parameter(torch.ones(1))
optimizer = torch.optim.Adam([*controller.parameters(), gain], lr=1e-2)
for step in range(4):
    state = torch.randn(16, 2)
    force = controller(state)
    pushed = force.detach().numpy()  # fires: W103
    position = np.asarray(state[:, :1]) + 0.1 * np.sin(pushed)
    reached = torch.from_numpy(position)
    loss = (gain * reached).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
