"""The second term is for the head alone, whose optimizer steps in every second update only."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
trunk, head, probe = nn.Sequential(nn.Linear(10, 16), nn.Tanh()), nn.Linear(16, 1), nn.Linear(16, 3)
trunk_optimizer = torch.optim.Adam([*trunk.parameters(), *head.parameters()], lr=1e-3)
probe_optimizer = torch.optim.Adam(probe.parameters(), lr=1e-3)
for update in range(8):
    states = torch.randn(16, 10)
    features = trunk(states)
    loss = F.mse_loss(head(features), states[:, :1]) + F.mse_loss(probe(features.detach()), states[:, 1:4])
    trunk_optimizer.zero_grad()
    probe_optimizer.zero_grad()
    loss.backward()
    trunk_optimizer.step()
    if update % 2:
        probe_optimizer.step()
