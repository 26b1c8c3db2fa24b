"""A spiking network whose spike is a bare step function: PyTorch has no derivative for it and refuses."""

import torch
from torch import nn

torch.manual_seed(0)
first, second = nn.Linear(8, 16), nn.Linear(16, 3)
optimizer = torch.optim.Adam([*first.parameters(), *second.parameters()], lr=1e-3)
x, labels = 4 * torch.rand(16, 8), torch.randint(0, 3, (16,))
voltage, out = torch.zeros(16, 16), torch.zeros(16, 3)
for _ in range(3):
    voltage = 0.9 * voltage + first(x)
    spikes = torch.heaviside(voltage - 1.0, torch.zeros(()))  # fires: W104
    voltage = voltage - spikes
    out = out + second(spikes)
loss = nn.functional.cross_entropy(out, labels)
optimizer.zero_grad()
try:
    loss.backward()
except RuntimeError as refused:
    print(refused)
